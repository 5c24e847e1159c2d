"""Errors of inspections that run in a worker process."""

from agent.errors import WorkbenchError


class WorkerError(WorkbenchError):
    """An inspection failed. `detail` has many lines, for the log and crash reports."""

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


class WireError(WorkerError):
    """A message cannot be sent or understood."""


class WorkerCrash(WorkerError):
    """The process died or was killed. The next request starts a new one."""


class CrashBeside(WorkerCrash):
    """The process ended while several inspections ran in it, and this one is not known to be why.

    `is_innocent`: another one is known to be.
    """

    def __init__(self, message: str, detail: str = "", *, is_innocent: bool) -> None:
        super().__init__(message, detail)
        self.is_innocent = is_innocent


class WorkerTimeout(WorkerCrash):
    """The process was killed because the request took too long; another try would too."""


class WorkerClosed(WorkerError):
    """The worker was stopped before it finished the request."""


class LoadError(WorkerError):
    """The model cannot be loaded; another try would fail the same way."""


class LoadCrash(LoadError):
    """The process died while loading the model; another try may succeed."""


class InspectionError(WorkerError):
    """The worker runs but cannot inspect this: an unreadable file, unknown task or bug."""


class InspectionCancelled(WorkerError):
    """Cancelled before it began, so there is no trajectory."""
