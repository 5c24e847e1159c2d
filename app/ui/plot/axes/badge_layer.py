"""Badges in the corner of the plot that say what is not shown as usual."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.ui.plot.canvas.layers import Layer
from app.ui.plot.marks import ROWS
from app.ui.plot.marks_layer import TOP_PX

PAD_PX, APART_PX, EDGE_PX, RADIUS_PX = 6.0, 5.0, 8.0, 4.0


class BadgeLayer(Layer):
    """They stand below the names of the lines, at the right."""

    depth = 24

    def __init__(self, *shared: object) -> None:
        super().__init__(*shared)  # type: ignore[arg-type]
        self.shown: tuple[str, ...] = ()
        self.hide()

    def show_texts(self, badges: Sequence[str]) -> None:
        self.shown = tuple(badges)
        self.setVisible(bool(self.shown))
        self.update()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        height = self.texts.height + 6.0  # letters of a fallback font stand lower
        right, top = self.box.rect().width() - EDGE_PX, TOP_PX + (ROWS + 0.5) * self.texts.height
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for text in reversed(self.shown):
            width = self.texts.width(text) + 2.0 * PAD_PX
            badge = QRectF(right - width, top, width, height)
            painter.setPen(QPen(QColor(self.theme.accent), 1.2))
            painter.setBrush(QColor(self.theme.plot))
            painter.drawRoundedRect(badge, RADIUS_PX, RADIUS_PX)
            painter.setPen(QColor(self.theme.text))
            self.texts.draw(painter, badge.left() + PAD_PX, top + 2.0, text)
            right = badge.left() - APART_PX
