"""The parent side of the child process that reads a list."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar, cast

from agent.child_process.rows_in_child import ENVIRONMENT
from agent.child_process.start_child import child_command, start_child
from app.core.errors import ImportFailed, ImportStopped
from app.core.importing.child import wire
from app.core.importing.entries import Entries, SourceSummary
from app.core.importing.formats.contents import ListColumn
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.opening import Preview
from app.core.progress import EstimatedProgress, ShouldStop, never, silent
from app.worker.process import describe_exit, last_line, printable_lines

PIPE_BYTES = 1024 * 1024
STDERR_BYTES = 2000
START_S = 300.0
OPENING_S = 30.0
SILENCE_S = 30.0
"""How long the process may be silent: until it has started, before the first rows, after them.
The first is long: it has not seen the list yet, and starts from the disk of a busy computer."""
BYTES_PER_S = 4 * 1024**2  # so much longer for a large file, of which all may have to be read first
LIST_MEMORY = 512 * 1024**2
FOLDER_MEMORY = 2 * 1024**3  # what the names of two million files take
MAX_MEMORY = 4 * 1024**3
POLL_S = 0.1

Result = TypeVar("Result")


class ListReaderProcess(AbstractContextManager["ListReaderProcess"]):
    """Reads a list in a child process, which ends with the `with` block.

    The process is killed when it takes too much memory, is silent for too long, or `should_stop`,
    which is called in another thread, returns true.
    """

    def __init__(
        self,
        path: Path,
        roles: Mapping[str, str],
        *,
        spectra: Path | None = None,
        allow_absolute: bool = False,
        allowed: Iterable[str] = (),
        is_preview: bool = False,
        should_stop: ShouldStop = never,
        progress: EstimatedProgress = silent,
    ) -> None:
        self._should_stop = should_stop
        self._progress = progress
        size = 0
        with suppress(OSError, ValueError):  # the child says why it cannot be read
            size = 0 if path.is_dir() else path.stat().st_size
        self._extra_s = size / BYTES_PER_S
        has_folder = path.is_dir() or spectra is not None
        request = {
            "path": str(path),
            "roles": dict(roles),
            "spectra": None if spectra is None else str(spectra),
            "allow_absolute": allow_absolute,
            "allowed": [*allowed],
            "is_preview": is_preview,
            "memory_bytes": min((FOLDER_MEMORY if has_folder else LIST_MEMORY) + size, MAX_MEMORY),
        }
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._process = _started(request, self._stderr)
        except OSError as error:
            self._stderr.close()
            raise ImportFailed(f"the process to read it could not be started: {error}") from error
        self._stdout = cast(BinaryIO, self._process.stdout)  # Popen annotates it as optional IO
        _enlarge_buffer(self._stdout)
        self._first_frame: wire.Frame | None = None
        self._result: SourceSummary | None = None
        self._has_started, self._patience_s = False, START_S
        self._waiting_since: float | None = None
        self._is_late = False
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="list reader", daemon=True)
        self._watcher.start()

    def __exit__(self, *exception: object) -> None:
        self._ended.set()
        self._process.kill()
        self._stdout.close()
        self._process.wait()
        self._watcher.join()
        self._stderr.close()

    def opened(self) -> Preview:
        """The start of the list; call this first. Its `problem` is only set in a preview."""
        preview = wire.preview_of(self._next()[0])
        self._patience_s = SILENCE_S + self._extra_s
        return preview

    def warm_up(self) -> None:
        """Wait for the first entries, before the session is locked for writing."""
        self._first_frame = self._next()

    def entries(self) -> Iterator[Entries]:
        """All entries from the start. Raises CellMismatch if a cell does not match its column.

        The process then reads everything again: call this once more.
        """
        while True:
            frame, self._first_frame = self._first_frame or self._next(), None
            message = frame[0]
            if message["type"] == "entries":
                yield wire.entries_of(frame)
            elif message["type"] == "again":
                raise CellMismatch
            else:
                found = message["outcome"]
                found["columns"] = tuple(ListColumn(**each) for each in found["columns"])
                found["warnings"] = tuple(found["warnings"])
                found["outside"] = wire.outside_of(found["outside"])
                self._result = SourceSummary(**found)
                return

    def read(self, make: Callable[[Iterator[Entries]], Result]) -> Result:
        """What `make` makes of all entries; made anew if a cell does not match its column."""
        with suppress(CellMismatch):
            return make(self.entries())
        return make(self.entries())

    def summary(self) -> SourceSummary:
        assert self._result is not None
        return self._result

    def _next(self) -> wire.Frame:
        while True:
            self._waiting_since = time.monotonic()
            frame = wire.read_frame(self._stdout)
            self._waiting_since = None
            if self._should_stop():
                raise ImportStopped("the import was stopped; nothing was imported")
            if frame is None:
                raise ImportFailed(self._reason_of_end())
            message = frame[0]
            if message["type"] == "failed":
                raise ImportFailed(message["reason"])
            if message["type"] == "started":
                self._has_started, self._patience_s = True, OPENING_S + self._extra_s
            elif message["type"] != "busy":
                return frame
            elif message["found"] is not None:
                self._progress(message["found"], None)

    def _watch(self) -> None:
        """Kill the process when it is to stop or was silent for too long: that ends the waiting."""
        while not self._ended.wait(POLL_S):
            since = self._waiting_since
            self._is_late = since is not None and time.monotonic() - since > self._patience_s
            if self._is_late or self._should_stop():
                self._process.kill()
                return

    def _reason_of_end(self) -> str:
        code = self._process.wait()
        if self._is_late and not self._has_started:
            return (
                f"the process to read it did not start within {self._patience_s:.0f} seconds: this "
                "computer is too busy, or its disk too slow; try again later"
            )
        if self._is_late:
            return (
                f"reading it came no further for {self._patience_s:.0f} seconds: it may be "
                "damaged, or this computer too busy; save it again, if possible as CSV"
            )
        self._stderr.seek(0)
        error_text = last_line(printable_lines(self._stderr.read()[-STDERR_BYTES:].splitlines()))
        reason = f"the process that read it {describe_exit(code)}"
        if error_text:
            reason = f"{reason}: {error_text}"
        if not self._has_started:
            return f"{reason}; it did not get so far as to read it: try again later"
        return f"{reason}; it may be damaged: save it again, if possible as CSV"


def _started(request: Mapping[str, Any], stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    script = str(Path(__file__).with_name("child.py"))
    return start_child(
        child_command("list-reader", [script], json.dumps(request)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={**os.environ, **ENVIRONMENT},
    )


def _enlarge_buffer(pipe: BinaryIO) -> None:
    """Enlarge the pipe buffer so that the child can be a few blocks ahead (Linux only)."""
    if sys.platform == "linux":
        import fcntl

        with suppress(OSError):  # above the limit of this system
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
