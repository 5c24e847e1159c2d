"""Tells when services have said something about the current candidate since its row was read."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance

from app.core.queue import QueueRow
from app.core.session.records import Change
from app.ui.session_bridge import SessionBridge

WAIT_MS = 100
"""Services answer one after another: the row is read once for several."""


class LateAnswers(QObject):
    """Silent where the task has no claims about catalogues: then no row changes."""

    due = Signal()

    def __init__(
        self, bridge: SessionBridge, candidate_changed: SignalInstance, parent: QObject
    ) -> None:
        """`candidate_changed` tells the `QueueRow` of the new candidate, or None."""
        super().__init__(parent)
        self._answered: set[int] = set()
        """Candidates that wait for being read again."""
        self._here: int | None = None
        self._timer = QTimer(self, singleShot=True, interval=WAIT_MS)
        self._timer.timeout.connect(self._tell)
        if bridge.session.task.catalogue:
            bridge.evidence_changed.connect(self._on_evidence_changed)
            candidate_changed.connect(self._on_candidate_changed)

    def _on_evidence_changed(self, change: Change) -> None:
        self._answered |= change.candidate_ids
        self._start_if_here()

    def _on_candidate_changed(self, row: QueueRow | None) -> None:
        self._here = None if row is None else row.candidate.id
        self._start_if_here()

    def _start_if_here(self) -> None:
        if self._here in self._answered and not self._timer.isActive():
            self._timer.start()

    def _tell(self) -> None:
        if self._here in self._answered:
            self._answered.discard(self._here)
            self.due.emit()
