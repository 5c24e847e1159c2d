"""Children that use a session until they are killed. Run as a program: the nursery they come from.

It reads one order a line, forks a child for each, and tells when the child is gone; so a child is
there in milliseconds, with everything imported.
"""

import fcntl
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agent.errors import WorkbenchError
from app.core.session.records import LogEntry, Opinion, Verdict
from app.core.session.session import Session, open_session
from tests.app.core.sessions import change, fill, made
from tests.processes import LONG_S, limit_files, wait_until

CANDIDATES = 20
TOLD = 1
"""The file descriptor on which a child tells."""
ALONE = -1
"""A file that is locked while a child tells, as what is longer than a page would be mixed up."""

Order = dict[str, Any]


def main() -> None:
    globals()["ALONE"], name = tempfile.mkstemp()
    Path(name).unlink()
    with (  # what is imported late, is now
        tempfile.TemporaryDirectory() as folder,
        made(Path(folder) / "warm.speco3") as session,
    ):
        session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
        session.undo()
        list(session.history())
    for line in sys.stdin:
        order = json.loads(line)
        children = [_child({**order, "copy": copy}) for copy in range(order.get("copies", 1))]
        for child in children:
            _, status = os.waitpid(child, 0)
            tell("over", os.waitstatus_to_exitcode(status))


def _child(order: Order) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            tell("pid", os.getpid())
            if "file_size" in order:
                limit_files(order["file_size"])
            if "uid" in order:
                os.setgroups([])
                os.setgid(order["uid"])
                os.setuid(order["uid"])
            WORKS[order["work"]](order)
            code = 0
        except WorkbenchError as error:
            tell("refused", type(error).__name__, str(error))
            code = 0
        except BaseException as error:
            tell("fault", type(error).__name__, str(error))
        finally:
            os._exit(code)
    return child


def _record(order: Order) -> None:
    """Verdicts as fast as can be; each is told once it is acknowledged."""
    chance = random.Random(f"{order['seed']}-{order['copy']}")
    reviewers = order.get("reviewers", ["Ada"])
    with _session(order, reviewers[order["copy"] % len(reviewers)]) as session:
        if "checkpoint" in order:
            change(session, f"PRAGMA wal_autocheckpoint = {order['checkpoint']}")
        tell("open")
        for _ in range(order.get("presses", 1_000_000)):
            entry = press(session, chance, order.get("undo", 0.3))
            if entry is not None:
                tell("kept", entry.id, line_of(entry))


def _import(order: Order) -> None:
    """Many candidates at once, again and again."""
    with _session(order, "Ada") as session:
        tell("open")
        while True:
            fill(session, 500)
            tell("kept", session.count())


def _open(order: Order) -> None:
    """Write one verdict, or only look."""
    with open_session(Path(order["location"]), "Ada", read_only=order["read_only"]) as session:
        tell("open", session.count())
        if not order["read_only"]:
            session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
            tell("kept", 1)


def _hold(order: Order) -> None:
    """Open it, and keep it open until the others have tried, too."""
    with open_session(Path(order["location"]), "Ada"):
        tell("open")
        wait_until(Path(order["gate"]).exists)


WORKS: dict[str, Callable[[Order], None]] = {
    "record": _record, "import": _import, "open": _open, "hold": _hold,
}  # fmt: skip


def _session(order: Order, reviewer: str) -> Session:
    """Made where there is none yet."""
    location = order["location"] if "://" in order["location"] else Path(order["location"])
    if isinstance(location, Path) and not location.exists():
        return made(location, CANDIDATES, reviewer)
    return open_session(location, reviewer)


def press(session: Session, chance: random.Random, undo: float) -> LogEntry | None:
    what = chance.random()
    if what < undo:
        return session.undo() if what < undo * 0.6 else session.redo()
    opinion = Opinion(
        verdict=chance.choice([*Verdict, None]),
        confidence=chance.choice([None, 0, 4]),
        flags=("late",) * chance.randrange(2),
        comment="宽" * chance.choice([0, 0, 0, 3, 3, 2000]),
    )
    return session.record_verdict(chance.randint(1, CANDIDATES), opinion, seconds=1.5)


def line_of(entry: LogEntry) -> list[Any]:
    """What a test compares of a line: as JSON gives it back."""
    opinion = asdict(entry.opinion)
    return [
        entry.action,
        entry.reviewer,
        entry.candidate_id,
        [opinion["verdict"], opinion["confidence"], list(opinion["flags"]), opinion["comment"]],
    ]


def tell(*what: Any) -> None:
    """In one write, and one child after the other, so that no line is ever half there."""
    fcntl.lockf(ALONE, fcntl.LOCK_EX)
    os.write(TOLD, json.dumps(what).encode() + b"\n")
    fcntl.lockf(ALONE, fcntl.LOCK_UN)


class Nursery:
    """The test's side of it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._rest = b""

    def order(self, work: str, location: Path | str, **more: Any) -> None:
        assert self._process.stdin is not None
        order = {"work": work, "location": str(location), **more}
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()

    def told(self, silence_s: float = LONG_S) -> list[Any] | None:
        """The next line; None when nothing came in time."""
        assert self._process.stdout is not None
        while b"\n" not in self._rest:
            if silence_s <= 0 or not select.select([self._process.stdout], [], [], silence_s)[0]:
                return None
            some = os.read(self._process.stdout.fileno(), 1 << 16)
            assert some, "the nursery is gone"
            self._rest += some
        line, _, self._rest = self._rest.partition(b"\n")
        found: list[Any] = json.loads(line)
        return found

    def until_over(self, children: int = 1) -> list[list[Any]]:
        """All that the children say until the last of them is gone."""
        found: list[list[Any]] = []
        while children:
            line = self.told()
            assert line is not None, "a child hangs"
            found.append(line)
            children -= line[0] == "over"
        return found

    def killed(self, chance: random.Random, within_s: float | None = None) -> list[list[Any]]:
        """Kill the one child that was ordered at a moment by chance; all that it said."""
        found = [self.born()]
        if within_s is not None:
            self._listen(found, chance.uniform(0, within_s))
        elif chance.random() < 0.5:  # at any time, from its first moment
            self._listen(found, chance.uniform(0, 0.12))
        else:  # soon after some verdict
            wanted = chance.randrange(1, 9)
            while sum(line[0] == "kept" for line in found) < wanted and found[-1][0] != "over":
                line = self.told()
                assert line is not None, "the child hangs"
                found.append(line)
            self._listen(found, chance.uniform(0, 0.01))
        if found[-1][0] == "over":
            return found
        return found + self.shot(found[0])

    def born(self) -> list[Any]:
        """The line in which the child that was ordered tells its number."""
        first = self.told()
        # What an earlier child said is no process to kill.
        assert first is not None and first[0] == "pid", first
        return first

    def shot(self, born: list[Any]) -> list[list[Any]]:
        """Kill the child; all that it still says."""
        with suppress(ProcessLookupError):  # it has just ended by itself, and says so next
            os.kill(born[1], signal.SIGKILL)
        return self.until_over()

    def _listen(self, found: list[list[Any]], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while (line := self.told(deadline - time.monotonic())) is not None:
            found.append(line)


@contextmanager
def nursery(module: str = "tests.app.core.session.recorder") -> Iterator[Nursery]:
    root = Path(__file__).parents[4]
    with subprocess.Popen(
        [sys.executable, "-m", module], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root
    ) as process:
        try:
            yield Nursery(process)
        finally:
            process.kill()


if __name__ == "__main__":
    main()
