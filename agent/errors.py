"""Errors a user can act on. Their text is what the window or the terminal shows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class Cancelled(Exception):
    """Raised where `should_stop` returns True: nobody waits for it any more."""


class WorkbenchError(Exception):
    """Base class of errors with a message for the user: what failed, where, and what to try."""


class SpectrumError(WorkbenchError):
    """The given arrays do not form a valid spectrum."""


class ReadError(WorkbenchError):
    """A file could not be read as a spectrum; `reasons` maps each reader tried to its message."""

    def __init__(self, message: str, reasons: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.reasons = dict(reasons or {})


class ToolError(WorkbenchError):
    """The visualization tool rejects a call; the model reads the message and continues."""


class RangeError(ToolError):
    """A range of wavelengths that is none, or lies beside the spectrum."""


class ResourceError(WorkbenchError):
    """A task, line list, model card or other resource file is invalid."""


class ImageError(WorkbenchError):
    """A picture that no vision encoder can take."""


class EngineError(WorkbenchError):
    """An engine cannot continue: what failed and what to try."""


class ContextFullError(EngineError):
    """The conversation is longer than the model can read."""


class TrajectoryError(WorkbenchError):
    """The record of an inspection is unreadable or belongs to another spectrum."""


@contextmanager
def write_errors(path: Path, kind: type[WorkbenchError] = WorkbenchError) -> Iterator[None]:
    """Turn an OSError raised while writing `path` into an error for the user that names it."""
    try:
        yield
    except OSError as error:
        raise kind(f"{path} could not be written: {error.strerror or error}") from error


@contextmanager
def read_errors(path: Path, kind: type[WorkbenchError] = WorkbenchError) -> Iterator[None]:
    """Turn an OSError raised while reading `path` into an error for the user that names it."""
    try:
        yield
    except OSError as error:
        raise kind(f"{path} cannot be read: {error.strerror or error}") from error


OnFault = Callable[[ResourceError], object]


@contextmanager
def reporting(on_fault: OnFault | None) -> Iterator[None]:
    """Give a faulty file of a user to `on_fault`; without one it raises."""
    try:
        yield
    except ResourceError as fault:
        if on_fault is None:
            raise
        on_fault(fault)
