"""What the large buttons of the first page share: Enter presses them, and the mouse is felt."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QEnterEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QWidget


class RowButton(QAbstractButton):
    """Draws nothing itself; `_is_hovered` is for those that do."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_hovered = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._is_hovered = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._is_hovered = False
        self.update()
