"""What holds of the object on the desk, and what was saved last."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.core.queue import QueueRow
from app.core.session.records import LogEntry, Opinion
from app.ui.judging.verdict_words import colour, mark_and_word, word
from app.ui.session_context import SessionContext

translate = QCoreApplication.translate


def saved_words(entry: LogEntry, before: Opinion, name: str) -> str:
    """`before`: what held until then; `name`: of the object."""
    said = _what(entry, before)
    if name:
        said = f"{said} · {name}"
    is_verdict = entry.action == "set" and entry.opinion.verdict not in (None, before.verdict)
    if is_verdict and entry.seconds is not None:
        spent = translate("saved", "{seconds} s").replace("{seconds}", _short(entry.seconds))
        said = f"{said} · {spent}"
    return said


def _what(entry: LogEntry, before: Opinion) -> str:
    now = entry.opinion
    if entry.action == "undo":
        return translate("saved", "Undone: {what}").replace("{what}", word(now.verdict))
    if entry.action == "redo":
        return translate("saved", "Done again: {what}").replace("{what}", word(now.verdict))
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
LEAST_PX = 150


class OneLineLabel(QLabel):
    """One line of plain text that never asks for more room than there is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def say(self, words: str) -> None:
        self._words = words
        self.setToolTip(words)
        self._fit()

    @property
    def words(self) -> str:
        """All of it."""
        return self._words

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        one_line = " ".join(self._words.split())
        right = Qt.TextElideMode.ElideRight
        self.setText(self.fontMetrics().elidedText(one_line, right, max(self.width() - 2, 0)))


class StateBlock(QWidget):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current, self._current_theme = context.current, context.current_theme
        self.setMinimumWidth(LEAST_PX)
        self.saved = OneLineLabel(self)
        self.verdict = QLabel(self)
        self.verdict.setTextFormat(Qt.TextFormat.PlainText)
        self._bright = QTimer(self, singleShot=True, interval=BRIGHT_MS)
        self._bright.timeout.connect(self._restyle)
        whole = QVBoxLayout(self)  # beside the confidence: its words, then its buttons
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(2)
        whole.addWidget(self.verdict)
        whole.addWidget(self.saved, 1)
        self._current.moved.connect(self._show_line)
        self._current.row_changed.connect(self._show_line)
        self._current.unreadable.connect(self._note_fault)
        self._current.spectrum_changed.connect(self._note_spectrum)
        self._current.judged.connect(self._flash)
        self._current_theme.changed.connect(self._restyle)
        self._show_line(self._current.line)

    def _show_line(self, line: QueueRow | None) -> None:
        if self._current.session.is_read_only and not self.saved.words:
            self.saved.say(self.tr("Open read-only: nothing can be judged"))
        self._restyle()

    def _flash(self, entry: LogEntry) -> None:
        line = self._current.line
        is_here = line is not None and line.candidate.id == entry.candidate_id
        name = object_name(line) if line is not None and is_here else ""
        self.saved.say(saved_words(entry, self._current.saved, name))
        self._bright.start()
        self._restyle()

    def _note_fault(self, _: str) -> None:
        self._restyle()

    def _note_spectrum(self, _: object) -> None:
        self._restyle()

    def _restyle(self) -> None:
        theme, line = self._current_theme.theme, self._current.line
        if line is None:
            self.verdict.setText(self.tr("Nothing on the desk"))
            self.verdict.setStyleSheet(f"color: {theme.dim};")
        else:
            held = None if line.mine is None else line.mine.opinion.verdict
            is_broken = bool(self._current.fault) and held is None
            said = self.tr("✕ cannot be read") if is_broken else mark_and_word(held)
            self.verdict.setText(said)
            tone = theme.warning if is_broken else colour(theme, held)
            self.verdict.setStyleSheet(f"color: {tone}; font-weight: 600;")
        is_bright = self._bright.isActive()
        self.saved.setStyleSheet(f"color: {theme.text if is_bright else theme.dim};")


def object_name(line: QueueRow) -> str:
    return line.candidate.object_id or f"#{line.candidate.id}"
