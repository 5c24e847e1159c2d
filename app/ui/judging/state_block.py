"""The saved verdict of the current candidate, and what was saved last."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from agent.tasks.look import has_class
from app.core.queue import QueueRow
from app.core.session.records import LogEntry, Opinion
from app.ui.judging.verdict_text import mark_and_word, verdict_colour, verdict_word
from app.ui.session_context import SessionContext
from app.ui.widgets.labels import cut

translate = QCoreApplication.translate


def saved_text(entry: LogEntry, before: Opinion, name: str) -> str:
    """Say what was saved; `before` is the former opinion, `name` that of the object."""
    text = _action_text(entry, before)
    if name:
        text = f"{text} · {name}"
    is_verdict = entry.action == "set" and entry.opinion.verdict not in (None, before.verdict)
    if is_verdict and entry.seconds is not None:
        spent = translate("saved", "{seconds} s").replace("{seconds}", _short(entry.seconds))
        text = f"{text} · {spent}"
    return text


def _action_text(entry: LogEntry, before: Opinion) -> str:
    now = entry.opinion
    if entry.action == "undo":
        return translate("saved", "Undone: {what}").replace("{what}", verdict_word(now.verdict))
    if entry.action == "redo":
        return translate("saved", "Redone: {what}").replace("{what}", verdict_word(now.verdict))
    if now.verdict != before.verdict and now.verdict is not None:
        return translate("saved", "{verdict} saved").replace("{verdict}", str(now.verdict))
    if now.comment != before.comment:
        return translate("saved", "Comment saved")
    if now.flags != before.flags:
        return translate("saved", "Flags saved")
    if now.confidence != before.confidence:
        return translate("saved", "Confidence saved")
    return translate("saved", "{verdict} saved").replace("{verdict}", str(now.verdict or ""))


def _short(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}"


BRIGHT_MS = 2500
MIN_WIDTH_PX = 120


class OneLineLabel(QLabel):
    """One line of plain text, elided to whatever width the layout leaves."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.full_text = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_text(self, text: str) -> None:
        self.full_text = cut(text)
        self.setToolTip(self.full_text)
        self._elide()

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        one_line = " ".join(self.full_text.split())
        right = Qt.TextElideMode.ElideRight
        self.setText(self.fontMetrics().elidedText(one_line, right, max(self.width() - 2, 0)))


class StateBlock(QWidget):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current, self._current_theme = context.current, context.current_theme
        self.setMinimumWidth(MIN_WIDTH_PX)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.saved = OneLineLabel(self)
        self.verdict = QLabel(self)
        self.verdict.setTextFormat(Qt.TextFormat.PlainText)
        self._bright = QTimer(self, singleShot=True, interval=BRIGHT_MS)
        self._bright.timeout.connect(self._restyle)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(6)
        whole.addWidget(self.verdict)
        whole.addWidget(self.saved, 1)
        self._current.candidate_changed.connect(self._show_row)
        self._current.row_changed.connect(self._show_row)
        self._current.spectrum_failed.connect(self._restyle)
        self._current.spectrum_changed.connect(self._restyle)
        self._current.judged.connect(self._show_saved)
        self._current_theme.changed.connect(self._restyle)
        self._show_row(self._current.row)

    def _show_row(self, _: QueueRow | None) -> None:
        if self._current.session.is_read_only and not self.saved.full_text:
            self.saved.show_text(self.tr("This session is read-only: verdicts cannot be saved"))
        self._restyle()

    def _show_saved(self, entry: LogEntry) -> None:
        row = self._current.row
        is_current = row is not None and row.candidate.id == entry.candidate_id
        name = object_name(row) if row is not None and is_current else ""
        self.saved.show_text(saved_text(entry, self._current.saved_opinion, name))
        self._bright.start()
        self._restyle()

    def _restyle(self, _: object = None) -> None:
        theme, row = self._current_theme.theme, self._current.row
        if row is None:
            self.verdict.setText(self.tr("No candidate"))
            self.verdict.setStyleSheet(f"color: {theme.dim};")
        elif not has_class(self._current.session.task):
            self.verdict.clear()
        else:
            verdict = None if row.mine is None else row.mine.opinion.verdict
            is_unreadable = bool(self._current.fault) and verdict is None
            self.verdict.setText(
                self.tr("✕ unreadable") if is_unreadable else mark_and_word(verdict)
            )
            colour = theme.warning if is_unreadable else verdict_colour(theme, verdict)
            self.verdict.setStyleSheet(f"color: {colour}; font-weight: 600;")
        is_bright = self._bright.isActive()
        self.saved.setStyleSheet(f"color: {theme.text if is_bright else theme.dim};")


def object_name(row: QueueRow) -> str:
    return row.candidate.object_id or f"#{row.candidate.id}"
