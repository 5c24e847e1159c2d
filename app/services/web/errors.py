"""What goes wrong when a service is asked; each of these is "failed", never "nothing there"."""

from collections.abc import Callable

from agent.errors import WorkbenchError

ShouldStop = Callable[[], bool]


class Stopped(Exception):
    """The user no longer wants the answer, as a ShouldStop has told."""


class ServiceError(WorkbenchError):
    """A service gave no answer that can be used: why, and what to try."""

    can_retry = False  # whether asking the same again soon may succeed


class Unreachable(ServiceError):
    """No connection, or one that broke off."""

    can_retry = True


class Busy(ServiceError):
    """The server asks for patience; `after_s` is how long, if it says so."""

    can_retry = True

    def __init__(self, message: str, after_s: float | None = None) -> None:
        super().__init__(message)
        self.after_s = after_s


class NotAsked(Busy):
    """The server was left alone, so this is no fault of what was asked for."""


class TooLong(ServiceError):
    """No whole answer in the time that it has."""


class NotAllowed(ServiceError):
    """We do not follow where the answer or the address leads, or do not take so much."""


class BadReply(ServiceError):
    """The answer is not what the service promises."""


class TooMany(BadReply):
    """The answer is longer than the service, or we, allow: fewer may be asked at once."""


class NotFound(BadReply):
    """The server has nothing at this address."""
