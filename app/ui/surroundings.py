"""What lies around a candidate in the queue, read before a key asks for it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.core.queue import Filter, Line, Place, Sort, both, page
from app.core.queue.filters import UNJUDGED, Has, Not
from app.core.session import Session

AHEAD = 12
BEHIND = 4


@dataclass(frozen=True, kw_only=True)
class Queue:
    """Which candidates there are to see, and in which order."""

    tree: Filter
    sort: Sort


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """Nearest first. `unjudged`: those behind it without a verdict whose spectrum can be read."""

    of: int
    after: tuple[Line, ...] = ()
    unjudged: tuple[Line, ...] = ()
    before: tuple[Line, ...] = ()

    def moved_to(self, line: Line, current: Line) -> Surroundings | None:
        """What is known already of one of them; None for one from elsewhere."""
        number = line.candidate.id
        for place, each in enumerate(self.after):
            if each.candidate.id == number:
                passed = (*reversed(self.after[:place]), current, *self.before)
                return Surroundings(
                    of=number,
                    after=self.after[place + 1 :],
                    unjudged=_behind(self.unjudged, number, self.after[: place + 1]),
                    before=passed[:BEHIND],
                )
        return None

    def without(self, number: int) -> Surroundings:
        return replace(
            self, unjudged=tuple(each for each in self.unjudged if each.candidate.id != number)
        )


def look_around(session: Session, queue: Queue, of: int, place: Place) -> Surroundings:
    """Three short pages of the queue. Any thread."""
    open_ones = both(queue.tree, UNJUDGED, Not(Has("fault")))
    after = page(session, queue.tree, queue.sort, after=place, limit=AHEAD)
    unjudged = page(session, open_ones, queue.sort, after=place, limit=AHEAD)
    before = page(session, queue.tree, queue.sort, after=place, limit=BEHIND, backwards=True)
    return Surroundings(
        of=of, after=after.lines, unjudged=unjudged.lines, before=tuple(reversed(before.lines))
    )


def _behind(unjudged: tuple[Line, ...], number: int, passed: tuple[Line, ...]) -> tuple[Line, ...]:
    gone = {number, *(each.candidate.id for each in passed)}
    return tuple(each for each in unjudged if each.candidate.id not in gone)
