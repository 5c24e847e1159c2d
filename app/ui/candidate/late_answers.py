"""Reads the current row again when services have said something about its candidate."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from app.core.queue import QueueRow
from app.core.session.records import Change
from app.ui.candidate.current import CurrentCandidate
from app.ui.session_bridge import SessionBridge

WAIT_MS = 100
"""Services answer one after another: the row is read once for several."""


class LateAnswers(QObject):
    """Does nothing where the task has no claims about catalogues: then no row changes."""

    def __init__(self, bridge: SessionBridge, current: CurrentCandidate, parent: QObject) -> None:
        super().__init__(parent)
        self._current = current
        self._answered: set[int] = set()
        """Candidates that wait for being read again."""
        self._here: int | None = None
        self._timer = QTimer(self, singleShot=True, interval=WAIT_MS)
        self._timer.timeout.connect(self._refresh)
        if bridge.session.task.catalogue:
            bridge.evidence_changed.connect(self._on_evidence_changed)
            current.candidate_changed.connect(self._on_candidate_changed)

    def _on_evidence_changed(self, change: Change) -> None:
        self._answered |= change.candidate_ids
        self._start_if_here()

    def _on_candidate_changed(self, row: QueueRow | None) -> None:
        self._here = None if row is None else row.candidate.id
        self._start_if_here()

    def _start_if_here(self) -> None:
        if self._here in self._answered and not self._timer.isActive():
            self._timer.start()

    def _refresh(self) -> None:
        if self._here in self._answered:
            self._answered.discard(self._here)
            self._current.refresh()
