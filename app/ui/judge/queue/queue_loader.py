"""Loads the rows that the queue table shows, and keeps them up to date with the session."""

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from agent.errors import WorkbenchError
from app.core.queue import QueuePosition, QueueRow, Sort, row_of
from app.core.queue.landmarks import Landmarks, block_rows, landmarks
from app.core.session.records import Change
from app.core.session.session import Session
from app.ui.base.background.runner import Done, Failed, Runner
from app.ui.judge.queue.queue_model import QueueModel
from app.ui.session.candidate.queue_neighbours import Queue

UPDATE_DELAY_MS = 150  # delay of updates, so that the next spectrum is painted first
MAX_UPDATED = 50  # if more candidates change at once, the whole queue is counted again
MAX_WAITING = 4  # requested blocks kept; older ones have been scrolled out of view


class QueueLoader(QObject):
    """Runs one task of each kind at a time, so that spectra find a free thread."""

    counted = Signal()  # more of the queue was counted, or all of it
    filled = Signal()  # rows were loaded
    failed = Signal(object)

    def __init__(
        self,
        session: Session,
        runner: Runner,
        model: QueueModel,
        parent: QObject | None = None,
        delay_ms: int = UPDATE_DELAY_MS,
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._model = session, runner, model
        self._queue: Queue | None = None
        # Number of the current queue. Results for an earlier one are dropped.
        self._number = 0
        self._is_counted = False
        self._waiting: list[int] = []
        self._outdated: set[int] = set()  # blocks whose rows changed
        self._loading: int | None = None
        self._changed: set[int] = set()
        self._is_stale = False
        self._with_values = False  # whether rows are read with what services said
        self._later = QTimer(self, singleShot=True, interval=delay_ms)
        self._later.timeout.connect(self._update)
        model.block_needed.connect(self.request)

    @property
    def is_counting(self) -> bool:
        return self._queue is not None and not self._is_counted

    def show(self, queue: Queue) -> None:
        self._queue = queue
        self._number += 1
        self._is_counted = self._is_stale = False
        self._loading = None
        self._waiting.clear()
        self._outdated.clear()
        self._changed.clear()
        self._model.begin(queue.sort)
        self._count(None, 0)

    def read_values(self, on: bool) -> None:
        """Read what services said with each row, from now on; rows without it are read again."""
        if on and not self._with_values:
            blocks = self._model.blocks
            self._outdated |= {each for each in range(blocks.count) if blocks.holds(each)}
            if self._loading is not None:
                self._outdated.add(self._loading)
        self._with_values = on
        self._fetch()

    def request(self, block: int) -> None:
        """Load a block; the latest request is served first."""
        if block == self._loading:
            return
        if block in self._waiting:
            self._waiting.remove(block)
        self._waiting.append(block)
        del self._waiting[:-MAX_WAITING]
        self._fetch()

    def session_changed(self, change: Change) -> None:
        if change.aspect == "calibration":
            return
        if change.aspect == "list" or not change.candidate_ids:
            self._is_stale = True
        self._changed |= change.candidate_ids
        self._later.start()

    def reordered(self) -> None:
        """The same candidates stand in another order."""
        self.session_changed(Change(aspect="list"))

    def _count(self, after: QueuePosition | None, rest: int) -> None:
        if self._queue is None:
            return
        tree, sort = self._queue.tree, self._queue.sort
        work = partial(landmarks, self._session, tree, sort, after=after, rest=rest)
        self._run(work, self._add_landmarks, self._count_failed)

    def _add_landmarks(self, found: Landmarks) -> None:
        self._model.extend(found.ends, found.rest)
        if found.end is None:
            self._is_counted = True
        else:
            self._count(found.end, found.rest)
        self.counted.emit()

    def _count_failed(self, error: WorkbenchError) -> None:
        self._is_counted = True
        self.failed.emit(error)
        self.counted.emit()

    def _fetch(self) -> None:
        if self._loading is not None or self._queue is None:
            return
        if not (self._waiting or self._outdated):
            return
        block = self._waiting.pop() if self._waiting else self._outdated.pop()
        if block >= self._model.blocks.count:
            return
        self._loading = block
        after, until = self._model.blocks.between(block)
        tree, sort = self._queue.tree, self._queue.sort
        work = partial(
            block_rows, self._session, tree, sort, after, until, with_values=self._with_values
        )
        if until is None and self.is_counting:
            work = partial(work, limit=self._model.blocks.span(block).count)
        self._run(work, partial(self._fill, block, until), self._fetch_failed)

    def _fill(self, block: int, until: QueuePosition | None, rows: list[QueueRow]) -> None:
        self._loading = None
        # Counting may have continued meanwhile, and then the open last block was split.
        if self._model.blocks.between(block)[1] == until:
            if until is None and self.is_counting:
                rows = rows[: self._model.blocks.span(block).count]
            self._model.fill(block, rows)
        else:
            self._waiting.append(block)
        self.filled.emit()
        self._fetch()

    def _fetch_failed(self, error: WorkbenchError) -> None:
        self._loading = None
        self._waiting.clear()
        self._outdated.clear()
        self.failed.emit(error)

    def _update(self) -> None:
        """Reload the blocks of the changed candidates, or everything."""
        changed, self._changed = frozenset(self._changed), set()
        if self._queue is None:
            return
        if self._is_stale or len(changed) > MAX_UPDATED:
            self.show(self._queue)
            return
        if self.is_counting:
            self._changed |= changed
            self._later.start()
            return
        blocks = self._model.blocks
        self._outdated |= set(map(blocks.block_of_row, blocks.indices_of(changed)))
        work = partial(_positions, self._session, changed, self._queue.sort)
        self._run(work, self._fetch_positions, self._fetch_failed)

    def _fetch_positions(self, positions: list[QueuePosition]) -> None:
        self._outdated |= {self._model.blocks.block_of(each) for each in positions}
        self._fetch()

    def _run(self, work: Callable[[], Any], done: Done, failed: Failed) -> None:
        """Run a task, and drop its result if another queue is shown by then."""
        number = self._number
        on_done = partial(self._if_current, number, done)
        self._runner.run(work, on_done, partial(self._if_current, number, failed), owner=self)

    def _if_current(self, number: int, call: Callable[[Any], None], result: Any) -> None:
        if number == self._number:
            call(result)


def _positions(session: Session, candidate_ids: frozenset[int], sort: Sort) -> list[QueuePosition]:
    """Current positions of these candidates in the order. Any thread."""
    found = session.candidates(sorted(candidate_ids))
    return [row_of(session, each.id, sort).position for each in found]
