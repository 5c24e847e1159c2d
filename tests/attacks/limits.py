"""The program where something runs out, and whether it ended well."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from app.core.session.session import open_session
from tests.processes import LONG_S, marked, wait_until

ROOT = Path(__file__).resolve().parents[2]
MARK = "SPEC_O3_TEST_MARK"
PATIENCE_S = 8.0
"""Without a sign of life, instead of a minute; on a quiet machine a worker is silent for 0.2 s."""
PROGRAM = "from app.cli.main import main; main()"
IMPATIENT = (
    "from app.worker import supervisor; "
    f"supervisor.PING_S, supervisor.MAX_UNANSWERED = {PATIENCE_S / 12}, 12; {PROGRAM}"
)
_numbers = count()


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How the program ended."""

    status: int
    output: str
    errors: str

    def check_sentence(self, *words: str) -> None:
        """It failed, and said why in one line."""
        assert self.status == 1, self
        (line,) = self.errors.splitlines()
        assert line.startswith("spec-o3: "), self
        assert all(word in line for word in words), self

    def check_worked(self) -> None:
        assert self.status == 0, self
        assert "Traceback" not in self.errors, self


class Program:
    """The program at work, with all its children known by a mark."""

    def __init__(
        self, *words: object, limit: str = ":", prefix: Sequence[str] = (), program: str = PROGRAM
    ) -> None:
        """`limit` is for the shell that starts it, as "ulimit -n 64"."""
        self.mark = f"{os.getpid()}-{next(_numbers)}"
        own = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")  # of the tests
        environment = {key: value for key, value in os.environ.items() if key not in own}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [*prefix, "sh", "-c", f'{limit} && exec "$@"', "sh", sys.executable, "-c", program,
             *map(str, words)],
            stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, cwd=ROOT,
            env={**environment, "QT_QPA_PLATFORM": "offscreen", MARK: self.mark},
        )  # fmt: skip

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *exception: object) -> None:
        self.process.kill()
        self.process.communicate()
        for each in self.processes():
            os.kill(each, signal.SIGKILL)

    def processes(self) -> list[int]:
        return marked(MARK, self.mark)

    def children(self) -> list[int]:
        return [each for each in self.processes() if each != self.process.pid]

    def end(self) -> Ended:
        """Wait for its end, after which nothing of it is left."""
        output, errors = self.process.communicate(timeout=LONG_S)
        wait_until(lambda: not self.processes())
        return Ended(status=self.process.returncode, output=output, errors=errors)


def ended(*words: object, limit: str = ":", prefix: Sequence[str] = ()) -> Ended:
    with Program(*words, limit=limit, prefix=prefix) as program:
        return program.end()


def check_whole(session: Path) -> int:
    """The number of its candidates."""
    with closing(sqlite3.connect(session)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with open_session(session, "Ada") as opened:
        list(opened.history())
        return opened.count()
