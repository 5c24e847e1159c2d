"""Fetches what the table of the queue shows, and keeps it as it is in the session."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from agent.errors import WorkbenchError
from app.core.queue import QueuePosition, QueueRow, Sort, row_of
from app.core.queue.landmarks import Landmarks, block_lines, landmarks
from app.core.session.records import Change
from app.core.session.session import Session
from app.ui.background.runner import Done, Failed, Runner
from app.ui.candidate.queue_neighbours import Queue
from app.ui.queue.queue_model import QueueModel

LATER_MS = 150
"""The next spectrum is painted first."""
MANY = 50
"""So many candidates changed at once: counted anew."""
LATEST = 4
"""Blocks that wait: who drags the scroll bar is not there any more."""


class QueueLoader(QObject):
    """One call of each kind at a time, so that spectra find a free thread."""

    counted = Signal()
    """More of the queue is known, or all."""
    filled = Signal()
    """Lines came."""
    failed = Signal(object)

    def __init__(
        self, session: Session, runner: Runner, model: QueueModel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._model = session, runner, model
        self._queue: Queue | None = None
        self._number = 0
        """Of the queue that is counted: what is of an earlier one comes too late."""
        self._is_counted = False
        self._waiting: list[int] = []
        self._due: set[int] = set()
        """Blocks in which something changed."""
        self._fetching: int | None = None
        self._touched: set[int] = set()
        self._is_stale = False
        self._later = QTimer(self, singleShot=True, interval=LATER_MS)
        self._later.timeout.connect(self._catch_up)
        model.wanted.connect(self.want)

    @property
    def is_counting(self) -> bool:
        return self._queue is not None and not self._is_counted

    def show(self, queue: Queue) -> None:
        self._queue = queue
        self._number += 1
        self._is_counted = self._is_stale = False
        self._fetching = None
        self._waiting.clear()
        self._due.clear()
        self._touched.clear()
        self._model.begin(queue.sort)
        self._count(None, 0)

    def want(self, block: int) -> None:
        """The latest first."""
        if block == self._fetching:
            return
        if block in self._waiting:
            self._waiting.remove(block)
        self._waiting.append(block)
        del self._waiting[:-LATEST]
        self._fetch()

    def note(self, change: Change) -> None:
        """Something of the session is other than it was."""
        if change.aspect == "calibration":
            return
        if change.aspect == "list" or not change.candidate_ids:
            self._is_stale = True
        self._touched |= change.candidate_ids
        self._later.start()

    def _count(self, after: QueuePosition | None, rest: int) -> None:
        if self._queue is None:
            return
        tree, sort = self._queue.tree, self._queue.sort
        work = partial(landmarks, self._session, tree, sort, after=after, rest=rest)
        self._run(work, self._came_on, self._could_not_count)

    def _came_on(self, found: Landmarks) -> None:
        self._model.extend(found.ends, found.rest)
        if found.end is None:
            self._is_counted = True
        else:
            self._count(found.end, found.rest)
        self.counted.emit()

    def _could_not_count(self, error: WorkbenchError) -> None:
        self._is_counted = True
        self.failed.emit(error)
        self.counted.emit()

    def _fetch(self) -> None:
        if self._fetching is not None or self._queue is None:
            return
        if not (self._waiting or self._due):
            return
        block = self._waiting.pop() if self._waiting else self._due.pop()
        if block >= self._model.blocks.count:
            return
        self._fetching = block
        after, until = self._model.blocks.between(block)
        tree, sort = self._queue.tree, self._queue.sort
        work = partial(block_lines, self._session, tree, sort, after, until)
        if until is None and self.is_counting:
            work = partial(work, self._model.blocks.span(block).count)
        self._run(work, partial(self._take, block, until), self._could_not_fetch)

    def _take(self, block: int, until: QueuePosition | None, lines: list[QueueRow]) -> None:
        self._fetching = None
        # Counting may have gone on meanwhile: what was behind the last landmark is more now.
        if self._model.blocks.between(block)[1] == until:
            if until is None and self.is_counting:
                lines = lines[: self._model.blocks.span(block).count]
            self._model.fill(block, lines)
        else:
            self._waiting.append(block)
        self.filled.emit()
        self._fetch()

    def _could_not_fetch(self, error: WorkbenchError) -> None:
        self._fetching = None
        self._waiting.clear()
        self._due.clear()
        self.failed.emit(error)

    def _catch_up(self) -> None:
        """What changed since: a few lines, or everything."""
        touched, self._touched = frozenset(self._touched), set()
        if self._queue is None:
            return
        if self._is_stale or len(touched) > MANY:
            self.show(self._queue)
            return
        if self.is_counting:
            self._touched |= touched
            self._later.start()
            return
        self._due |= self._model.blocks.blocks_with(touched)
        work = partial(_places, self._session, touched, self._queue.sort)
        self._run(work, self._know_places, self._could_not_fetch)

    def _know_places(self, places: list[QueuePosition]) -> None:
        self._due |= {self._model.blocks.block_of(place) for place in places}
        self._fetch()

    def _run(self, work: Callable[[], Any], done: Done, failed: Failed) -> None:
        """Only what is still asked for arrives."""
        of = self._number
        came, broke = partial(self._if_still, of, done), partial(self._if_still, of, failed)
        self._runner.run(work, came, broke, owner=self)

    def _if_still(self, number: int, call: Callable[[Any], None], result: Any) -> None:
        if number == self._number:
            call(result)


def _places(session: Session, candidate_ids: frozenset[int], sort: Sort) -> list[QueuePosition]:
    """Where they stand now. Any thread."""
    there = session.candidates(sorted(candidate_ids))
    return [row_of(session, each.id, sort).position for each in there]
