"""What `vet` says about the time that the rest of a list takes, once that can be told."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import monotonic

from app.core.statistics.number_format import duration

LEAST_S = 60.0
"""Less is not worth a word."""
KEPT = 4096


class TimeLeft:
    """Called after each inspection of `total`; speaks once.

    That is after the first one where it is known how many run at once. Where that is being found,
    it is when the number is, by the inspections that ended since so many run.
    """

    def __init__(self, total: int, *, now: Callable[[], float] | None = None) -> None:
        self._total = total
        self._now = now or monotonic
        self._ends = deque([self._now()], maxlen=KEPT)
        self._done = 0
        self._has_spoken = False

    def one_more(self, at_once: int | None) -> str:
        """A line about the time left, or nothing; `at_once` is None while it is being found."""
        self._done += 1
        if self._has_spoken:
            return ""
        self._ends.append(self._now())
        if at_once is None:
            return ""
        self._has_spoken = True
        took_s = at_once * self._between_ends_s(at_once)
        if self._done == 1:  # the others began with it
            took_s = self._ends[-1] - self._ends[0]
        text = estimate(took_s, self._total - self._done, at_once)
        return f"{at_once} at once, {text}" if text and self._done > 1 else text

    def _between_ends_s(self, at_once: int) -> float:
        """Of the last round, as inspections that began together end together."""
        count = min(at_once, len(self._ends) - 1)
        return (self._ends[-1] - self._ends[-1 - count]) / count


def estimate(took_s: float, left: int, at_once: int) -> str:
    """What one inspection tells about the others; empty if they take less than a minute."""
    left_s = took_s * left / at_once
    if left_s < LEAST_S:
        return ""
    each = f"{took_s:.1f} s" if took_s < 60 else duration(took_s)
    return f"about {each} a spectrum: {duration(left_s)} for the other {left:,}\n"
