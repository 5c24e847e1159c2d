"""The axes around the stage: ticks, numbers, what they are."""

from __future__ import annotations

import math

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from app.ui.plot.layers import thin_pen
from app.ui.plot.texts import Texts
from app.ui.plot.view_box import Stage
from app.ui.theme.theme import Theme

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
MOST = 50
"""However wide an axis may be."""
DECIMALS = 6


def tick_step(lo: float, hi: float, most: int) -> float:
    """The smallest round step with which no more than `most` ticks are needed."""
    rough = (hi - lo) / max(min(most, MOST), 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next((step * power for step in STEPS if step * power >= rough), 10.0 * power)


def ticks(lo: float, hi: float, most: int) -> tuple[float, ...]:
    """Multiples of a round step within [lo, hi]."""
    if not (math.isfinite(lo) and math.isfinite(hi) and lo < hi):
        return ()
    step = tick_step(lo, hi, most)
    first, last = math.ceil(lo / step - 1e-9), math.floor(hi / step + 1e-9)
    return tuple(number * step for number in range(first, last + 1))


def tick_texts(values: tuple[float, ...]) -> tuple[str, ...]:
    """With as many decimals as round numbers need."""
    exact = (n for n in range(DECIMALS) if all(_is_whole(value * 10**n) for value in values))
    decimals = next(exact, DECIMALS)
    return tuple(f"{value + 0.0:.{decimals}f}".replace("-", "\N{MINUS SIGN}") for value in values)


def _is_whole(value: float) -> bool:
    return abs(value - round(value)) < 1e-6


TICK_PX = 5.0
X_TICK_APART_PX = 90.0
Y_TICK_APART_PX = 52.0
WIDEST_NUMBER = "\N{MINUS SIGN}00000"
RIGHT_PX, TOP_PX = 20.0, 4.0

Placed = list[tuple[float, str]]


class Axes(QGraphicsItem):
    """Its margins hang on the font alone, so that nothing is laid out again from object to object.

    `stretch` is 1 + z where the axis is at rest.
    """

    def __init__(self, stage: Stage, theme: Theme, texts: Texts) -> None:
        super().__init__()
        self.stage, self.theme, self.texts = stage, theme, texts
        self.size = QRectF()
        self.stretch = 1.0
        self.x_title = self.y_title = ""
        self.x_ticks: Placed = []
        self.y_ticks: Placed = []

    def inner(self, size: QRectF) -> QRectF:
        """Where the stage lies in the whole."""
        line = self.texts.height
        left = line + self.texts.width(WIDEST_NUMBER) + TICK_PX + 10.0
        bottom = 2.0 * line + TICK_PX + 8.0
        return size.adjusted(round(left), TOP_PX, -RIGHT_PX, -round(bottom))

    def resized(self, size: QRectF) -> None:
        self.prepareGeometryChange()
        self.size = size

    def boundingRect(self) -> QRectF:
        return self.size

    def retick(self) -> None:
        scale = self.stage.scale_now
        most = max(int(scale.width / X_TICK_APART_PX), 2)
        at_rest = ticks(scale.lo / self.stretch, scale.hi / self.stretch, most)
        places = [scale.x(value * self.stretch) for value in at_rest]
        self.x_ticks = list(zip(places, tick_texts(at_rest), strict=True))
        levels = ticks(scale.bottom, scale.top, max(int(scale.height / Y_TICK_APART_PX), 2))
        self.y_ticks = [
            (scale.y(level), text) for level, text in zip(levels, tick_texts(levels), strict=True)
        ]

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        where = self.stage.geometry()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(thin_pen(self.theme.axis))
        bottom, left = where.bottom(), where.left()
        down = [QLineF(left + x, bottom, left + x, bottom + TICK_PX) for x, _ in self.x_ticks]
        out = [
            QLineF(left, where.top() + y, left - TICK_PX, where.top() + y) for y, _ in self.y_ticks
        ]
        painter.drawRect(where.adjusted(-1.0, -1.0, 0.0, 0.0))
        painter.drawLines([*down, *out])
        self._write(painter, where)

    def _write(self, painter: QPainter, where: QRectF) -> None:
        texts, line = self.texts, self.texts.height
        painter.setPen(QColor(self.theme.axis))
        for x, text in self.x_ticks:
            texts.draw(painter, where.left() + x, where.bottom() + TICK_PX + 2.0, text, 0.5)
        for y, text in self.y_ticks:
            top = min(max(where.top() + y - 0.5 * line, where.top() - 2.0), where.bottom() - line)
            texts.draw(painter, where.left() - TICK_PX - 4.0, top, text, 1.0)
        foot = where.bottom() + TICK_PX + line + 4.0
        texts.draw(painter, where.center().x(), foot, self.x_title, 0.5)
        painter.save()
        painter.translate(2.0, where.center().y())
        painter.rotate(-90.0)
        texts.draw(painter, 0.0, 0.0, self.y_title, 0.5)
        painter.restore()
