"""The axes around the plotting area: ticks, numbers and titles."""

from __future__ import annotations

import math

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from app.ui.plot.layers import thin_pen
from app.ui.plot.texts import TextCache
from app.ui.plot.view_box import Stage
from app.ui.theme.theme import Theme

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
MAX_TICKS = 50
DECIMALS = 6


def tick_step(lo: float, hi: float, max_ticks: int) -> float:
    """The smallest round step that needs no more than `max_ticks` ticks."""
    rough = (hi - lo) / max(min(max_ticks, MAX_TICKS), 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next((step * power for step in STEPS if step * power >= rough), 10.0 * power)


def ticks(lo: float, hi: float, max_ticks: int) -> tuple[float, ...]:
    """Multiples of a round step within [lo, hi]."""
    if not (math.isfinite(lo) and math.isfinite(hi) and lo < hi):
        return ()
    step = tick_step(lo, hi, max_ticks)
    first, last = math.ceil(lo / step - 1e-9), math.floor(hi / step + 1e-9)
    return tuple(number * step for number in range(first, last + 1))


def tick_texts(values: tuple[float, ...]) -> tuple[str, ...]:
    """The values as text, all with the number of decimals they need."""
    sufficient = (n for n in range(DECIMALS) if all(_is_whole(value * 10**n) for value in values))
    decimals = next(sufficient, DECIMALS)
    return tuple(f"{value + 0.0:.{decimals}f}".replace("-", "\N{MINUS SIGN}") for value in values)


def _is_whole(value: float) -> bool:
    return abs(value - round(value)) < 1e-6


TICK_PX = 5.0
X_TICK_APART_PX = 90.0
Y_TICK_APART_PX = 52.0
WIDEST_NUMBER = "\N{MINUS SIGN}00000"
RIGHT_PX, TOP_PX = 20.0, 4.0

Ticks = list[tuple[float, str]]
"""Positions on the stage, pixels, and texts."""


class Axes(QGraphicsItem):
    """The frame, ticks and titles around the stage.

    Its margins depend on the font alone, so the layout stays the same from object to object.
    `stretch` is 1 + z for an axis of rest wavelengths, else 1.
    """

    def __init__(self, stage: Stage, theme: Theme, texts: TextCache) -> None:
        super().__init__()
        self.stage, self.theme, self.texts = stage, theme, texts
        self.size = QRectF()
        self.stretch = 1.0
        self.x_title = self.y_title = ""
        self.x_ticks: Ticks = []
        self.y_ticks: Ticks = []

    def inner(self, size: QRectF) -> QRectF:
        """The rectangle that the margins leave for the stage."""
        line_height = self.texts.height
        left = line_height + self.texts.width(WIDEST_NUMBER) + TICK_PX + 10.0
        bottom = 2.0 * line_height + TICK_PX + 8.0
        return size.adjusted(round(left), TOP_PX, -RIGHT_PX, -round(bottom))

    def resized(self, size: QRectF) -> None:
        self.prepareGeometryChange()
        self.size = size

    def boundingRect(self) -> QRectF:
        return self.size

    def retick(self) -> None:
        scale = self.stage.scale_now
        max_ticks = max(int(scale.width / X_TICK_APART_PX), 2)
        values = ticks(scale.lo / self.stretch, scale.hi / self.stretch, max_ticks)
        positions = [scale.x(value * self.stretch) for value in values]
        self.x_ticks = list(zip(positions, tick_texts(values), strict=True))
        levels = ticks(scale.bottom, scale.top, max(int(scale.height / Y_TICK_APART_PX), 2))
        self.y_ticks = [
            (scale.y(level), text) for level, text in zip(levels, tick_texts(levels), strict=True)
        ]

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        stage = self.stage.geometry()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(thin_pen(self.theme.axis))
        bottom, left = stage.bottom(), stage.left()
        x_lines = [QLineF(left + x, bottom, left + x, bottom + TICK_PX) for x, _ in self.x_ticks]
        y_lines = [
            QLineF(left, stage.top() + y, left - TICK_PX, stage.top() + y) for y, _ in self.y_ticks
        ]
        painter.drawRect(stage.adjusted(-1.0, -1.0, 0.0, 0.0))
        painter.drawLines([*x_lines, *y_lines])
        self._draw_texts(painter, stage)

    def _draw_texts(self, painter: QPainter, stage: QRectF) -> None:
        texts, line_height = self.texts, self.texts.height
        painter.setPen(QColor(self.theme.axis))
        for x, text in self.x_ticks:
            texts.draw(painter, stage.left() + x, stage.bottom() + TICK_PX + 2.0, text, 0.5)
        for y, text in self.y_ticks:
            top = max(stage.top() + y - 0.5 * line_height, stage.top() - 2.0)
            top = min(top, stage.bottom() - line_height)
            texts.draw(painter, stage.left() - TICK_PX - 4.0, top, text, 1.0)
        foot = stage.bottom() + TICK_PX + line_height + 4.0
        texts.draw(painter, stage.center().x(), foot, self.x_title, 0.5)
        painter.save()
        painter.translate(2.0, stage.center().y())
        painter.rotate(-90.0)
        texts.draw(painter, 0.0, 0.0, self.y_title, 0.5)
        painter.restore()
