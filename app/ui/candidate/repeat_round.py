"""Some objects are shown again, as if they were new: would one say the same a second time?

What is said then stands beside the first verdict, which holds: app.core.statistics.repeats.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from agent.errors import WorkbenchError
from app.core.queue import LIST_ORDER, QueueRow, row_of
from app.core.session.session import Session
from app.ui.background.runner import Runner
from app.ui.candidate.blind_mode import BlindMode
from app.ui.candidate.queue_cache import QueueCache
from app.ui.candidate.queue_neighbours import Queue


class RepeatRound(QueueCache):
    """While such a round lasts its objects lie around the desk, not those of the queue. Whoever
    goes elsewhere ends it."""

    changed = Signal()

    def __init__(
        self, session: Session, runner: Runner, blind_mode: BlindMode, parent: QObject | None = None
    ) -> None:
        super().__init__(session, runner, parent)
        self._blind_mode = blind_mode
        self._sort = LIST_ORDER
        self.plan: tuple[int, ...] = ()
        self.at = -1
        """The place in `plan` of what lies on the desk."""
        self.home: int | None = None
        """The object one came from."""

    @property
    def is_on(self) -> bool:
        return bool(self.plan)

    def begin(self, plan: Sequence[int], home: int) -> None:
        """Then the desk goes to the first of them."""
        self.plan, self.home = tuple(plan), home
        self._blind_mode.show_again(self.plan)

    def next(self, line: QueueRow) -> QueueRow | None:
        return self._beside(line, 1) if self.is_on else super().next(line)

    def previous(self, line: QueueRow) -> QueueRow | None:
        return self._beside(line, -1) if self.is_on else super().previous(line)

    def next_unjudged(self, line: QueueRow) -> QueueRow | None:
        return self._beside(line, 1) if self.is_on else super().next_unjudged(line)

    def move(self, queue: Queue, line: QueueRow | None, before: QueueRow | None) -> None:
        self._sort = queue.sort
        if self.is_on:
            self._follow(line)
        super().move(queue, line, before)

    def _follow(self, line: QueueRow | None) -> None:
        if line is not None and line.candidate.id in self.plan:
            self.at = self.plan.index(line.candidate.id)
        else:
            self.plan, self.at = (), -1
            self._blind_mode.show_again(())
        self.changed.emit()

    def _beside(self, line: QueueRow, step: int) -> QueueRow:
        """Behind the last one comes the object one came from; before the first it stays."""
        place = max(self.at + step, 0)
        number = self.plan[place] if place < len(self.plan) else self.home
        try:
            assert number is not None
            return self._blind_mode.as_met(row_of(self._session, number, self._sort))
        except WorkbenchError as error:
            self.failed.emit(error)
            return line
