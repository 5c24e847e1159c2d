"""The parent's side of a list that is read by a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, BinaryIO, Self, cast

from agent.child_command import child_command
from app.core.importing.child.wire import Frame, Message, entries_of, read_frame
from app.core.importing.entries import Entries
from app.core.importing.errors import ImportFailed, ImportStopped
from app.core.importing.folder_walk import ShouldStop
from app.core.importing.formats.contents import ListColumn
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.reading import ReadingSummary
from app.worker.exit_reason import cleaned, how_it_ended, last_words

PIPE_BYTES = 1024 * 1024
LAST_WORDS = 2000


class ListReaderProcess:
    """The process begins at once. Use it in a `with` block, which ends it."""

    def __init__(
        self,
        path: Path,
        roles: Mapping[str, str],
        spectra: Path | None,
        *,
        allow_absolute: bool,
        should_stop: ShouldStop,
    ) -> None:
        asked = {
            "path": str(path),
            "roles": dict(roles),
            "spectra": None if spectra is None else str(spectra),
            "allow_absolute": allow_absolute,
        }
        script = str(Path(__file__).with_name("child.py"))
        # Without this a program that has no console would flash one up.
        flags: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        self._should_stop = should_stop
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                child_command("list-reader", [script], json.dumps(asked)),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                creationflags=flags,
            )
        except OSError as error:
            self._stderr.close()
            raise ImportFailed(f"no process could be started to read it: {error}") from error
        self._stdout = cast(BinaryIO, self._process.stdout)  # Popen promises less than it gives
        _widen(self._stdout)
        self._waiting: Frame | None = None
        self._outcome: ReadingSummary | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.kill()
        self._stdout.close()
        self._process.wait()
        self._stderr.close()

    def prime(self) -> None:
        self._waiting = self._next()

    def entries(self) -> Iterator[Entries]:
        while True:
            frame, self._waiting = self._waiting or self._next(), None
            message = frame[0]
            if message["type"] == "entries":
                yield entries_of(frame)
            elif message["type"] == "again":
                raise CellMismatch
            elif message["type"] == "failed":
                raise ImportFailed(message["reason"])
            else:
                self._outcome = _outcome(message)
                return

    def settle(self) -> None:
        """It has done so before it said that it begins again."""

    def outcome(self) -> ReadingSummary:
        assert self._outcome is not None
        return self._outcome

    def _next(self) -> Frame:
        while True:
            if self._should_stop():
                raise ImportStopped("the import was stopped; nothing was taken over")
            frame = read_frame(self._stdout)
            if frame is None:
                raise ImportFailed(f"the process that read it {self._last_words()}")
            if frame[0]["type"] != "busy":
                return frame

    def _last_words(self) -> str:
        fate = how_it_ended(self._process.wait())
        self._stderr.seek(0)
        said = last_words(cleaned(self._stderr.read()[-LAST_WORDS:].splitlines()))
        return f"{fate}: {said}" if said else fate


def _widen(pipe: BinaryIO) -> None:
    """Let the process be some blocks ahead."""
    if sys.platform == "linux":
        import fcntl

        with suppress(OSError):  # more than this system gives one user
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)


def _outcome(message: Message) -> ReadingSummary:
    told = message["outcome"]
    return ReadingSummary(
        columns=tuple(ListColumn(**each) for each in told["columns"]),
        missing_files=told["missing_files"],
        without_file=told["without_file"],
        warnings=tuple(told["warnings"]),
    )
