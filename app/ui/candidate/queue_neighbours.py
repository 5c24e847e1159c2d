"""What lies around a candidate in the queue, read before a key asks for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest

from app.core.queue import (
    Filter,
    QueuePosition,
    QueueRow,
    Sort,
    both,
    next_line,
    next_unjudged,
    page,
    previous_line,
)
from app.core.queue.filters import UNJUDGED, Has, Not
from app.core.session.records import Judgement, LogEntry
from app.core.session.session import Session

AHEAD = 12
BEHIND = 4


@dataclass(frozen=True, kw_only=True)
class Queue:
    """Which candidates there are to see, and in which order."""

    tree: Filter
    sort: Sort

    @property
    def to_judge(self) -> Filter:
        """Those of them that can be judged, and are not."""
        return both(self.tree, UNJUDGED, Not(Has("fault")))


@dataclass(frozen=True, kw_only=True)
class QueueNeighbours:
    """Nearest first. `unjudged`: those behind it without a verdict whose spectrum can be read."""

    of: int
    after: tuple[QueueRow, ...] = ()
    unjudged: tuple[QueueRow, ...] = ()
    before: tuple[QueueRow, ...] = ()

    def moved_to(self, line: QueueRow, current: QueueRow) -> QueueNeighbours | None:
        """What is known already of one of them; None for one from elsewhere."""
        number = line.candidate.id
        for place, each in enumerate(self.after):
            if each.candidate.id == number:
                passed = (*reversed(self.after[:place]), current, *self.before)
                return QueueNeighbours(
                    of=number,
                    after=self.after[place + 1 :],
                    unjudged=_behind(self.unjudged, number, self.after[: place + 1]),
                    before=passed[:BEHIND],
                )
        for place, each in enumerate(self.before):
            if each.candidate.id == number:
                passed = (*reversed(self.before[:place]), current, *self.after)
                # Which of those passed are judged is known of a moment ago only: asked again.
                return QueueNeighbours(
                    of=number, after=passed[:AHEAD], before=self.before[place + 1 :]
                )
        return None

    @property
    def ids(self) -> frozenset[int]:
        every = (*self.after, *self.unjudged, *self.before)
        return frozenset(each.candidate.id for each in every)

    @property
    def ahead(self) -> tuple[QueueRow, ...]:
        """Where the next keys may lead, the likeliest first: a verdict to the next without one,
        other keys to the next of all."""
        pairs = zip_longest(self.unjudged, self.after)
        return tuple(each for pair in pairs for each in pair if each is not None)

    def without(self, number: int) -> QueueNeighbours:
        return replace(
            self, unjudged=tuple(each for each in self.unjudged if each.candidate.id != number)
        )


def look_around(session: Session, queue: Queue, of: int, place: QueuePosition) -> QueueNeighbours:
    """Three short pages of the queue. Any thread."""
    after = page(session, queue.tree, queue.sort, after=place, limit=AHEAD)
    unjudged = page(session, queue.to_judge, queue.sort, after=place, limit=AHEAD)
    before = page(session, queue.tree, queue.sort, after=place, limit=BEHIND, backwards=True)
    return QueueNeighbours(
        of=of, after=after.lines, unjudged=unjudged.lines, before=tuple(reversed(before.lines))
    )


def judged_row(line: QueueRow, entry: LogEntry) -> QueueRow:
    """A line as it is once that was written down."""
    mine = Judgement(
        candidate_id=entry.candidate_id,
        reviewer=entry.reviewer,
        opinion=entry.opinion,
        at=entry.at,
        log_id=entry.id,
    )
    return replace(line, mine=mine)


def first_of(session: Session, queue: Queue) -> QueueRow | None:
    """The first without a verdict, else the first. Any thread."""
    found = next_unjudged(session, queue.to_judge, queue.sort)
    if found is not None:
        return found
    return next(iter(page(session, queue.tree, queue.sort, limit=1).lines), None)


def unjudged_behind(session: Session, queue: Queue, place: QueuePosition | None) -> QueueRow | None:
    """Behind the last the first ones follow."""
    return next_unjudged(session, queue.to_judge, queue.sort, after=place)


def next_of(session: Session, queue: Queue, place: QueuePosition) -> QueueRow | None:
    return next_line(session, queue.tree, queue.sort, after=place)


def previous_of(session: Session, queue: Queue, place: QueuePosition) -> QueueRow | None:
    return previous_line(session, queue.tree, queue.sort, before=place)


def _behind(
    unjudged: tuple[QueueRow, ...], number: int, passed: tuple[QueueRow, ...]
) -> tuple[QueueRow, ...]:
    gone = {number, *(each.candidate.id for each in passed)}
    return tuple(each for each in unjudged if each.candidate.id not in gone)
