"""A label for one line of plain text, elided where there is no room for it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.ui.widgets.labels import MAX_SHOWN, cut, one_line
from app.ui.widgets.text_width import first_that_fits


class ElidedLabel(QLabel):
    def __init__(self, role: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.full_text = self._short_text = ""
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def show_text(self, text: str, tooltip: str = "", short: str = "") -> None:
        """Show a text, or what is `short` for it where there is no room for the text."""
        if (text := cut(text)) != self.full_text:
            self.full_text, self._short_text = text, short
            self._elide()
        self.setToolTip(tooltip or text)

    @property
    def _line(self) -> str:
        return one_line(self.full_text, MAX_SHOWN)

    def sizeHint(self) -> QSize:
        return QSize(
            self.fontMetrics().horizontalAdvance(self._line) + 4, super().sizeHint().height()
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(20, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        room, metrics = self.contentsRect().width(), self.fontMetrics()
        line = first_that_fits([self._line, self._short_text or self._line], metrics, room)
        elided = metrics.elidedText(line, Qt.TextElideMode.ElideRight, room)
        if elided != self.text():
            self.setText(elided)
