"""The rows before and after a candidate in the queue, read before a key needs them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest

from app.core.queue import (
    Filter,
    QueuePosition,
    QueueRow,
    Sort,
    combine,
    next_row,
    next_unjudged,
    page,
    previous_row,
)
from app.core.queue.filters import UNJUDGED, Has, Not
from app.core.session.records import Judgement, LogEntry
from app.core.session.session import Session

AHEAD = 12
BEHIND = 4


@dataclass(frozen=True, kw_only=True)
class Queue:
    tree: Filter
    sort: Sort

    @property
    def to_judge(self) -> Filter:
        """Readable candidates of the queue that have no verdict."""
        return combine(self.tree, UNJUDGED, Not(Has("fault")))


@dataclass(frozen=True, kw_only=True)
class QueueNeighbours:
    """Rows around candidate `of`, nearest first.

    `unjudged`: later rows without a verdict whose spectrum is readable.
    """

    of: int
    after: tuple[QueueRow, ...] = ()
    unjudged: tuple[QueueRow, ...] = ()
    before: tuple[QueueRow, ...] = ()

    def moved_to(self, row: QueueRow, current: QueueRow) -> QueueNeighbours | None:
        """Return what is known of this row's neighbours; None if it is not among the rows here."""
        number = row.candidate.id
        for index, each in enumerate(self.after):
            if each.candidate.id == number:
                passed = (*reversed(self.after[:index]), current, *self.before)
                return QueueNeighbours(
                    of=number,
                    after=self.after[index + 1 :],
                    unjudged=_except(self.unjudged, number, self.after[: index + 1]),
                    before=passed[:BEHIND],
                )
        for index, each in enumerate(self.before):
            if each.candidate.id == number:
                passed = (*reversed(self.before[:index]), current, *self.after)
                # Verdicts of passed rows may have changed: `unjudged` is read again.
                return QueueNeighbours(
                    of=number, after=passed[:AHEAD], before=self.before[index + 1 :]
                )
        return None

    @property
    def ids(self) -> frozenset[int]:
        every = (*self.after, *self.unjudged, *self.before)
        return frozenset(each.candidate.id for each in every)

    @property
    def ahead(self) -> tuple[QueueRow, ...]:
        """Rows the next keys may lead to, likeliest first.

        A verdict leads to the next unjudged row, other keys to the next row.
        """
        pairs = zip_longest(self.unjudged, self.after)
        return tuple(each for pair in pairs for each in pair if each is not None)

    def without_unjudged(self, number: int) -> QueueNeighbours:
        return replace(
            self, unjudged=tuple(each for each in self.unjudged if each.candidate.id != number)
        )


def read_neighbours(
    session: Session, queue: Queue, of: int, position: QueuePosition
) -> QueueNeighbours:
    """Read three short pages of the queue. Any thread."""
    after = page(session, queue.tree, queue.sort, after=position, limit=AHEAD)
    unjudged = page(session, queue.to_judge, queue.sort, after=position, limit=AHEAD)
    before = page(session, queue.tree, queue.sort, after=position, limit=BEHIND, backwards=True)
    return QueueNeighbours(
        of=of, after=after.rows, unjudged=unjudged.rows, before=tuple(reversed(before.rows))
    )


def judged_row(row: QueueRow, entry: LogEntry) -> QueueRow:
    """Return the row as it is after this log entry."""
    mine = Judgement(
        candidate_id=entry.candidate_id,
        reviewer=entry.reviewer,
        opinion=entry.opinion,
        at=entry.at,
        log_id=entry.id,
    )
    return replace(row, mine=mine)


def first_of(session: Session, queue: Queue) -> QueueRow | None:
    """Find the first row without a verdict, else the first row. Any thread."""
    if (found := next_unjudged(session, queue.to_judge, queue.sort)) is not None:
        return found
    return next(iter(page(session, queue.tree, queue.sort, limit=1).rows), None)


def unjudged_after(
    session: Session, queue: Queue, position: QueuePosition | None
) -> QueueRow | None:
    """Find the next row without a verdict, wrapping around at the end of the queue."""
    return next_unjudged(session, queue.to_judge, queue.sort, after=position)


def next_of(session: Session, queue: Queue, position: QueuePosition) -> QueueRow | None:
    return next_row(session, queue.tree, queue.sort, after=position)


def previous_of(session: Session, queue: Queue, position: QueuePosition) -> QueueRow | None:
    return previous_row(session, queue.tree, queue.sort, before=position)


def _except(
    unjudged: tuple[QueueRow, ...], number: int, passed: tuple[QueueRow, ...]
) -> tuple[QueueRow, ...]:
    gone = {number, *(each.candidate.id for each in passed)}
    return tuple(each for each in unjudged if each.candidate.id not in gone)
