"""How far long work is, and whether it is still wanted."""

from __future__ import annotations

from collections.abc import Callable

from app.core.errors import SessionError

Progress = Callable[[int, int], None]
"""Called with how much is done, and of how much."""
ShouldStop = Callable[[], bool]


class StoppedError(SessionError):
    """Somebody stopped it; nothing was changed."""


class Steps:
    """Counts what is done of `what`, tells it, and raises StoppedError where asked to."""

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
