"""Tells after a verdict what a hidden candidate was, in the status line."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.core.session.known_answers import has_known_answers, known_answer_of
from app.core.session.records import Change, LogEntry
from app.ui.session_context import SessionContext


class KnownAnswerNote(QObject):
    """Says nothing before the verdict, nor after one that was undone."""

    def __init__(self, context: SessionContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current, self._session = context.current, context.bridge.session
        self._are_there: bool | None = None
        """Whether anything is hidden here at all; asked once, as a server may be far away."""
        context.current.judged.connect(self._tell)
        context.bridge.changed.connect(self._forget)

    def _tell(self, entry: LogEntry) -> None:
        if entry.action != "set" or entry.opinion.verdict is None:
            return
        if self._are_there is None:
            self._are_there = has_known_answers(self._session)
        if not self._are_there:
            return
        if (answer := known_answer_of(self._session, entry.candidate_id)) is not None:
            if answer.is_simulated:
                text = self.tr("This was a known {class} (simulated)")
            else:
                text = self.tr("This was a known {class}")
            self._current.message.emit(text.replace("{class}", answer.class_name))

    def _forget(self, change: Change) -> None:
        if change.aspect == "list":
            self._are_there = None
