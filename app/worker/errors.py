"""What can go wrong with inspections that run in a process of their own."""

from __future__ import annotations

from agent.errors import WorkbenchError


class WorkerError(WorkbenchError):
    """An inspection came to nothing. `detail` is for the log and for reports: many lines."""

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


class WireError(WorkerError):
    """A message that cannot be sent, or that is none."""


class WorkerCrash(WorkerError):
    """The process died, or had to be ended. The next request starts a new one."""


class WorkerClosed(WorkerError):
    """The window or the batch is closing."""


class LoadError(WorkerError):
    """No inspector can be had: another try would end the same way."""


class LoadCrash(LoadError):
    """The process died while it loaded the model; it may be tried again."""


class InspectionError(WorkerError):
    """The worker is well, but cannot inspect this: an unreadable file, an unknown task, a fault."""


class InspectionCancelled(WorkerError):
    """Cancelled before it began, so there is no record."""
