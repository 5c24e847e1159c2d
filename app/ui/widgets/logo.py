"""The program's own mark, as large as one likes."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.ui.program_icon import program_icon


class Logo(QWidget):
    def __init__(self, side: int = 64, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = program_icon()
        self.setFixedSize(QSize(side, side))
        self.setAccessibleName(self.tr("The program's mark"))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._icon.paint(painter, self.rect())
