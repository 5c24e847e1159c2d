"""A label for one line of plain text, elided where there is no room for it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.ui.widgets.labels import MAX_SHOWN, cut, one_line


class ElidedLabel(QLabel):
    def __init__(self, role: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.full_text = ""
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def show_text(self, text: str, tooltip: str = "") -> None:
        if (text := cut(text)) != self.full_text:
            self.full_text = text
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
        room = self.contentsRect().width()
        elided = self.fontMetrics().elidedText(self._line, Qt.TextElideMode.ElideRight, room)
        if elided != self.text():
            self.setText(elided)
