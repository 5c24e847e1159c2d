"""A round of repeats: candidates shown again as if new, to measure how consistent the person is.

The first verdicts stay valid; repeated ones are stored beside them (app.core.statistics.repeats).
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
    """Queue cache that serves the repeats while a round is on; going elsewhere ends the round."""

    changed = Signal()

    def __init__(
        self, session: Session, runner: Runner, blind_mode: BlindMode, parent: QObject | None = None
    ) -> None:
        super().__init__(session, runner, parent)
        self._blind_mode = blind_mode
        self._sort = LIST_ORDER
        self.plan: tuple[int, ...] = ()
        self.index = -1
        """Index in `plan` of the current candidate."""
        self.home: int | None = None
        """The candidate to return to."""

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
            if row is not None and row.candidate.id in self.plan:
                self.index = self.plan.index(row.candidate.id)
            else:
                self.plan, self.index = (), -1
                self._blind_mode.set_repeats(())
            self.changed.emit()
        super().move(queue, row, before)

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
