"""Keeps what lies around the candidate on the desk, so that most keys need not ask the session."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from agent.errors import WorkbenchError
from app.core.queue import QueueRow
from app.core.session.session import Session
from app.ui.background.runner import PAINTED_MS, Runner
from app.ui.candidate.queue_neighbours import Queue, QueueNeighbours, look_around

NOWHERE = QueueNeighbours(of=0)


class QueueCache(QObject):
    looked = Signal(object)
    """The `QueueNeighbours`, fresh from the session."""
    failed = Signal(object)
    """A WorkbenchError."""

    def __init__(self, session: Session, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = session, runner
        self._around = NOWHERE
        self._wanted: tuple[Queue, QueueRow] | None = None
        self._is_closed = False
        self._soon = QTimer(self, singleShot=True, interval=PAINTED_MS)
        self._soon.timeout.connect(self._look)

    def next(self, line: QueueRow) -> QueueRow | None:
        """None: there is none, or it is not known yet. So with the others."""
        return next(iter(self._of(line).after), None)

    def previous(self, line: QueueRow) -> QueueRow | None:
        return next(iter(self._of(line).before), None)

    def next_unjudged(self, line: QueueRow) -> QueueRow | None:
        return next(iter(self._of(line).unjudged), None)

    def forget(self) -> None:
        """The queue is another one."""
        self._around, self._wanted = NOWHERE, None

    def note(self, candidate_ids: frozenset[int]) -> None:
        """They are other than they were; none: anything may be."""
        if self._wanted is None:
            return
        if not candidate_ids or self._around is NOWHERE or candidate_ids & self._around.ids:
            queue, line = self._wanted
            self._around, self._wanted = NOWHERE, (queue, line)  # what is on its way is outdated
            self._soon.start()

    def drop(self, number: int) -> None:
        """It has a verdict now."""
        self._around = self._around.without(number)

    def move(self, queue: Queue, line: QueueRow | None, before: QueueRow | None) -> None:
        """Another candidate is on the desk: what was known of it holds until all is read anew."""
        known = None if line is None or before is None else self._around.moved_to(line, before)
        self._around = known or NOWHERE
        self._wanted = None if line is None else (queue, line)
        if line is not None:
            self._soon.start()  # first what the person waits for

    def look(self, queue: Queue, line: QueueRow) -> None:
        self._wanted = (queue, line)
        self._look()

    def close(self) -> None:
        self._is_closed = True

    def _of(self, line: QueueRow) -> QueueNeighbours:
        return self._around if self._around.of == line.candidate.id else NOWHERE

    def _look(self) -> None:
        wanted = self._wanted
        if wanted is None or self._is_closed:
            return
        queue, line = wanted
        work = partial(look_around, self._session, queue, line.candidate.id, line.position)
        self._runner.run(work, partial(self._know, wanted), self._tell, owner=self)

    def _know(self, wanted: tuple[Queue, QueueRow], around: QueueNeighbours) -> None:
        if wanted is self._wanted and not self._is_closed:
            self._around = around
            self.looked.emit(around)

    def _tell(self, error: WorkbenchError) -> None:
        if not self._is_closed:
            self.failed.emit(error)
