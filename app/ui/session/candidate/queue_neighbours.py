"""The rows before and after a candidate in the queue, read before a key needs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from agent.errors import WorkbenchError
from app.core.queue import (
    LIST_ORDER,
    Filter,
    QueuePosition,
    QueueRow,
    Sort,
    combine,
    next_row,
    next_unjudged,
    page,
    previous_row,
    row_of,
)
from app.core.queue.filters import UNJUDGED, Has, Not
from app.core.session.records import Judgement, LogEntry
from app.core.session.session import Session
from app.ui.base.background.runner import PAINTED_MS, Failed, Runner
from app.ui.session.candidate.blind_mode import BlindMode

AHEAD = 12
BEHIND = 4

LONG_QUEUE = 5_000  # with more candidates a search may take longer than a frame

Find = Callable[[], QueueRow | None]
Done = Callable[[QueueRow | None], None]


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
                gone = {each.candidate.id for each in self.after[: index + 1]}
                return QueueNeighbours(
                    of=number,
                    after=self.after[index + 1 :],
                    unjudged=tuple(one for one in self.unjudged if one.candidate.id not in gone),
                    before=passed[:BEHIND],
                )
        for index, each in enumerate(self.before):
            if each.candidate.id == number:
                passed = (*reversed(self.before[:index]), current, *self.after)
                before = self.before[index + 1 :]
                # Verdicts of passed rows may have changed: `unjudged` is read again.
                return QueueNeighbours(of=number, after=passed[:AHEAD], before=before)
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
        unjudged = tuple(each for each in self.unjudged if each.candidate.id != number)
        return replace(self, unjudged=unjudged)


def read_neighbours(
    session: Session, queue: Queue, of: int, position: QueuePosition
) -> QueueNeighbours:
    """Read three short pages of the queue. Any thread."""
    after = page(session, queue.tree, queue.sort, after=position, limit=AHEAD)
    unjudged = page(session, queue.to_judge, queue.sort, after=position, limit=AHEAD)
    before = page(session, queue.tree, queue.sort, after=position, limit=BEHIND, backwards=True)
    nearest = before.rows[::-1]
    return QueueNeighbours(of=of, after=after.rows, unjudged=unjudged.rows, before=nearest)


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


def next_of(session: Session, queue: Queue, position: QueuePosition) -> QueueRow | None:
    return next_row(session, queue.tree, queue.sort, after=position)


def previous_of(session: Session, queue: Queue, position: QueuePosition) -> QueueRow | None:
    return previous_row(session, queue.tree, queue.sort, before=position)


UNKNOWN = QueueNeighbours(of=0)


class QueueCache(QObject):
    """Caches the queue rows around the current candidate, so that most keys need no query."""

    loaded = Signal(object)  # the `QueueNeighbours`, just read from the session
    failed = Signal(object)  # a WorkbenchError

    def __init__(self, session: Session, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = session, runner
        self._neighbours = UNKNOWN
        self._wanted: tuple[Queue, QueueRow] | None = None
        self._is_closed = False
        self._timer = QTimer(self, singleShot=True, interval=PAINTED_MS)
        self._timer.timeout.connect(self._load)

    def neighbours_of(self, row: QueueRow) -> QueueNeighbours:
        """What is known of the rows around this one; perhaps nothing."""
        return self._neighbours if self._neighbours.of == row.candidate.id else UNKNOWN

    # Each of these returns None if there is no such row or it is not cached.

    def next(self, row: QueueRow) -> QueueRow | None:
        return next(iter(self.neighbours_of(row).after), None)

    def previous(self, row: QueueRow) -> QueueRow | None:
        return next(iter(self.neighbours_of(row).before), None)

    def next_unjudged(self, row: QueueRow) -> QueueRow | None:
        return next(iter(self.neighbours_of(row).unjudged), None)

    def clear(self) -> None:
        self._neighbours, self._wanted = UNKNOWN, None

    def invalidate(self, candidate_ids: frozenset[int]) -> None:
        """These candidates changed; an empty set means any may have."""
        if self._wanted is None:
            return
        neighbours = self._neighbours
        if not candidate_ids or neighbours is UNKNOWN or candidate_ids & neighbours.ids:
            queue, row = self._wanted
            # A new tuple, so that a result on its way is recognised as outdated.
            self._neighbours, self._wanted = UNKNOWN, (queue, row)
            self._timer.start()

    def mark_judged(self, number: int) -> None:
        self._neighbours = self._neighbours.without_unjudged(number)

    def move(self, queue: Queue, row: QueueRow | None, before: QueueRow | None) -> None:
        """Follow the current candidate, using what is cached until it is read again."""
        known = None if row is None or before is None else self._neighbours.moved_to(row, before)
        self._neighbours = known or UNKNOWN
        self._wanted = None if row is None else (queue, row)
        if row is not None:
            self._timer.start()  # after the candidate is painted

    def load(self, queue: Queue, row: QueueRow) -> None:
        self._wanted = (queue, row)
        self._load()

    def close(self) -> None:
        self._is_closed = True

    def _load(self) -> None:
        wanted = self._wanted
        if wanted is None or self._is_closed:
            return
        queue, row = wanted
        work = partial(read_neighbours, self._session, queue, row.candidate.id, row.position)
        self._runner.run(work, partial(self._on_loaded, wanted), self._report, owner=self)

    def _on_loaded(self, wanted: tuple[Queue, QueueRow], neighbours: QueueNeighbours) -> None:
        if wanted is self._wanted and not self._is_closed:
            self._neighbours = neighbours
            self.loaded.emit(neighbours)

    def _report(self, error: WorkbenchError) -> None:
        if not self._is_closed:
            self.failed.emit(error)


# Searches the queue for a row: at once in a short list, in the background in a long one. A filter
# without an index may scan a million rows, and a new sort order first needs an index; neither may
# block the window.
class QueueSearch(QObject):
    """Runs one search at a time; requests made while one is running are dropped."""

    def __init__(
        self, session: Session, runner: Runner, failed: Failed, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._failed = session, failed
        self._answer = runner.latest(self)
        self.is_busy = False
        self.is_long = False
        self.update_length()

    def update_length(self) -> None:
        self.is_long = self._session.count() > LONG_QUEUE

    def cancel(self) -> None:
        """Ignore the result of the running search."""
        self._answer.forget()
        self.is_busy = False

    def start(self, find: Find, done: Done) -> None:
        """Call `done` with the row found, now or later."""
        if self.is_busy:
            return
        if self.is_long:
            self.is_busy = True
            self._answer.ask(find, partial(self._end, done), partial(self._end, self._failed))
            return
        try:
            row = find()
        except WorkbenchError as error:
            self._failed(error)
        else:
            done(row)

    def _end(self, tell: Callable[[Any], None], outcome: Any) -> None:
        self.is_busy = False
        tell(outcome)


# A round of repeats: candidates shown again as if new, to measure how consistent the person is.
# The first verdicts stay valid; repeated ones are stored beside them
# (app.core.statistics.repeats).
class RepeatRound(QueueCache):
    """Queue cache that serves the repeats while a round is on; going elsewhere ends the round."""

    changed = Signal()

    def __init__(
        self, session: Session, runner: Runner, blind_mode: BlindMode, parent: QObject
    ) -> None:
        super().__init__(session, runner, parent)
        self._blind_mode = blind_mode
        self._sort = LIST_ORDER
        self.plan: tuple[int, ...] = ()
        self.index = -1  # index in `plan` of the current candidate
        self.home: int | None = None  # the candidate to return to

    @property
    def is_on(self) -> bool:
        return bool(self.plan)

    def begin(self, plan: Sequence[int], home: int) -> None:
        """Start a round; the caller then goes to the first candidate of the plan."""
        self.plan, self.home = tuple(plan), home
        self._blind_mode.set_repeats(self.plan)

    def next(self, row: QueueRow) -> QueueRow | None:
        return self._step(row, 1) if self.is_on else super().next(row)

    def previous(self, row: QueueRow) -> QueueRow | None:
        return self._step(row, -1) if self.is_on else super().previous(row)

    def next_unjudged(self, row: QueueRow) -> QueueRow | None:
        return self._step(row, 1) if self.is_on else super().next_unjudged(row)

    def move(self, queue: Queue, row: QueueRow | None, before: QueueRow | None) -> None:
        self._sort = queue.sort
        if self.is_on:
            if self._ends_with(row):
                self.plan, self.index = (), -1
                self._blind_mode.set_repeats(())
            self.changed.emit()
        super().move(queue, row, before)

    def _ends_with(self, row: QueueRow | None) -> bool:
        """Whether going there ends the round; otherwise it is noted as the place in it."""
        if row is None or row.candidate.id not in self.plan:
            return True
        self.index = self.plan.index(row.candidate.id)
        return False

    def _step(self, row: QueueRow, step: int) -> QueueRow:
        """Return the neighbour in the plan; after the last one `home`, before the first itself."""
        index = max(self.index + step, 0)
        number = self.plan[index] if index < len(self.plan) else self.home
        try:
            assert number is not None
            return self._blind_mode.without_own_verdict(row_of(self._session, number, self._sort))
        except WorkbenchError as error:
            self.failed.emit(error)
            return row
