"""Where the agent looks, and the box that the mouse draws."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.ui.plot.layer import Layer
from app.ui.plot.trace import Range

ALPHA = 22
EDGE_PX = 2.0
CHIP_PX = 6.0


class LookLayer(Layer):
    depth = 25
    """Over the marks: the name on it must be read."""

    def __init__(self, *about: Any) -> None:
        super().__init__(*about)
        self.look: Range | None = None
        self.label = ""
        self.box: Range | None = None

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if self.look is not None:
            self._draw(painter, self._rectangle(self.look), self.theme.agent)
            if self.label:
                self._name_it(painter, self._rectangle(self.look))
        if self.box is not None:
            self._draw(painter, self._rectangle(self.box), self.theme.accent)

    def _rectangle(self, window: Range) -> QRectF:
        scale = self.stage.scale_now
        left, right = (min(max(scale.x(end), -9.0), scale.width + 9.0) for end in window)
        inset = 0.5 * EDGE_PX
        return QRectF(left, 0.0, right - left, scale.height).adjusted(inset, inset, -inset, -inset)

    def _draw(self, painter: QPainter, where: QRectF, colour: str) -> None:
        faint = QColor(colour)
        faint.setAlpha(0 if where.width() > 0.95 * self.stage.rect().width() else ALPHA)
        painter.setPen(QPen(QColor(colour), EDGE_PX))
        painter.setBrush(faint)
        painter.drawRect(where)

    def _name_it(self, painter: QPainter, where: QRectF) -> None:
        """On a chip at the foot of the window, above the names of the sky's bands."""
        height = self.texts.height + 4.0
        width = self.texts.width(self.label) + 2.0 * CHIP_PX
        left = min(max(where.left(), 0.0) + 8.0, max(self.stage.rect().width() - width - 8.0, 0.0))
        chip = QRectF(left, where.bottom() - 2.4 * height, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.agent))
        painter.drawRoundedRect(chip, 4.0, 4.0)
        painter.setPen(QColor(self.theme.on_agent))
        self.texts.draw(painter, chip.left() + CHIP_PX, chip.top() + 2.0, self.label)
