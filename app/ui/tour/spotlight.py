"""Dims the window except for one rectangle; mouse clicks pass through."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.ui.theme.theme import CurrentTheme

ROUND = 9.0
AROUND = 4
"""Pixels between the target and the ring around it."""
DIM_ALPHA = {False: 96, True: 120}
"""Keyed by `Theme.is_dark`."""


class Spotlight(QWidget):
    def __init__(self, current_theme: CurrentTheme, window: QWidget) -> None:
        super().__init__(window)
        self._current_theme = current_theme
        self.hole: QRect | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        current_theme.changed.connect(self.update)
        self.hide()

    def highlight(self, hole: QRect | None) -> None:
        """Leave `hole` (in window coordinates) undimmed; None dims everything."""
        if hole != self.hole:
            self.hole = hole
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._current_theme.theme
        dimmed = QPainterPath()
        dimmed.setFillRule(Qt.FillRule.OddEvenFill)
        dimmed.addRect(QRectF(self.rect()))
        ring = None if self.hole is None else QRectF(self.hole).adjusted(*_OUT)
        if ring is not None:
            dimmed.addRoundedRect(ring, ROUND, ROUND)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(dimmed, QColor(0, 0, 0, DIM_ALPHA[theme.is_dark]))
        if ring is not None:
            painter.setPen(QPen(QColor(theme.accent), 2.0))
            painter.drawRoundedRect(ring, ROUND, ROUND)
        painter.end()


_OUT = (-AROUND, -AROUND, AROUND, AROUND)
