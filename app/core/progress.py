"""Progress reports and cancellation of long-running work."""

from collections.abc import Callable

from app.core.errors import SessionError

Progress = Callable[[int, int], None]  # called with the amount done and the total
EstimatedProgress = Callable[[int, int | None], object]
"""Called with the amount done and the estimated total, None where it is unknown."""
ShouldStop = Callable[[], bool]


def never() -> bool:
    return False


def silent(_: int, __: int | None) -> None:
    pass


class StoppedError(SessionError):
    """The user stopped the work; nothing was changed."""


class Steps:
    """Counts and reports finished steps; raises StoppedError when the caller asks to stop.

    `what` names the work in the error message.
    """

    def __init__(
        self, what: str, total: int, progress: Progress | None, should_stop: ShouldStop | None
    ) -> None:
        self._what = what
        self._total = total
        self._progress = progress
        self._should_stop = should_stop
        self._done = 0

    def step(self, count: int) -> None:
        self._done = min(self._done + count, self._total)
        if self._progress is not None:
            self._progress(self._done, self._total)
        if self._should_stop is not None and self._should_stop():
            raise StoppedError(f"the {self._what} was stopped: nothing was changed")

    def restart(self) -> None:
        self._done = 0
