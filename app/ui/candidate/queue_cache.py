"""Caches the queue rows around the current candidate, so that most keys need no query."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from agent.errors import WorkbenchError
from app.core.queue import QueueRow
from app.core.session.session import Session
from app.ui.background.runner import PAINTED_MS, Runner
from app.ui.candidate.queue_neighbours import Queue, QueueNeighbours, read_neighbours

UNKNOWN = QueueNeighbours(of=0)


class QueueCache(QObject):
    loaded = Signal(object)
    """The `QueueNeighbours`, just read from the session."""
    failed = Signal(object)
    """A WorkbenchError."""

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
