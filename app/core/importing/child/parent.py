"""The parent side of the child process that reads a large list."""

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
from app.core.errors import ImportFailed, ImportStopped
from app.core.importing.child.wire import Frame, Message, entries_of, read_frame
from app.core.importing.entries import Entries
from app.core.importing.entry_source import SourceSummary
from app.core.importing.formats.contents import ListColumn
from app.core.importing.formats.text_cells import CellMismatch
from app.core.progress import ShouldStop
from app.worker.exit_reason import describe_exit, last_line, printable_lines

PIPE_BYTES = 1024 * 1024
STDERR_BYTES = 2000


class ListReaderProcess:
    """An EntrySource in a child process. Use as a context manager, which ends the process."""

    def __init__(
        self,
        path: Path,
        roles: Mapping[str, str],
        spectra: Path | None,
        *,
        allow_absolute: bool,
        should_stop: ShouldStop,
    ) -> None:
        request = {
            "path": str(path),
            "roles": dict(roles),
            "spectra": None if spectra is None else str(spectra),
            "allow_absolute": allow_absolute,
        }
        script = str(Path(__file__).with_name("child.py"))
        # Without this flag a windowed program on Windows would open a console for a moment.
        flags: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        self._should_stop = should_stop
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                child_command("list-reader", [script], json.dumps(request)),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                creationflags=flags,
            )
        except OSError as error:
            self._stderr.close()
            raise ImportFailed(f"the process to read it could not be started: {error}") from error
        self._stdout = cast(BinaryIO, self._process.stdout)  # Popen annotates it as optional IO
        _enlarge_buffer(self._stdout)
        self._first_frame: Frame | None = None
        self._result: SourceSummary | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.kill()
        self._stdout.close()
        self._process.wait()
        self._stderr.close()

    def warm_up(self) -> None:
        self._first_frame = self._next()

    def entries(self) -> Iterator[Entries]:
        while True:
            frame, self._first_frame = self._first_frame or self._next(), None
            message = frame[0]
            if message["type"] == "entries":
                yield entries_of(frame)
            elif message["type"] == "again":
                raise CellMismatch
            elif message["type"] == "failed":
                raise ImportFailed(message["reason"])
            else:
                self._result = _summary(message)
                return

    def recheck_types(self) -> None:
        """Nothing to do: the child did so before it sent "again"."""

    def summary(self) -> SourceSummary:
        assert self._result is not None
        return self._result

    def _next(self) -> Frame:
        while True:
            if self._should_stop():
                raise ImportStopped("the import was stopped; nothing was imported")
            frame = read_frame(self._stdout)
            if frame is None:
                raise ImportFailed(f"the process that read it {self._exit_description()}")
            if frame[0]["type"] != "busy":
                return frame

    def _exit_description(self) -> str:
        reason = describe_exit(self._process.wait())
        self._stderr.seek(0)
        error_text = last_line(printable_lines(self._stderr.read()[-STDERR_BYTES:].splitlines()))
        return f"{reason}: {error_text}" if error_text else reason


def _enlarge_buffer(pipe: BinaryIO) -> None:
    """Enlarge the pipe buffer so that the child can be a few blocks ahead (Linux only)."""
    if sys.platform == "linux":
        import fcntl

        with suppress(OSError):  # above the limit of this system
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)


def _summary(message: Message) -> SourceSummary:
    summary = message["outcome"]
    return SourceSummary(
        columns=tuple(ListColumn(**each) for each in summary["columns"]),
        missing_files=summary["missing_files"],
        without_file=summary["without_file"],
        warnings=tuple(summary["warnings"]),
    )
