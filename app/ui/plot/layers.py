"""The grid, and the curves over it."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget
from shiboken6 import VoidPtr, wrapInstance

from agent.spectra.spectrum import FloatArray
from app.ui.plot.texts import Texts
from app.ui.plot.trace import Range, pieces, thin, visible
from app.ui.plot.view_box import Stage
from app.ui.theme.theme import Theme

LIMIT_PX = 20_000.0
"""Far outside the plot; painters lose their footing beyond."""

POINTER: Any = VoidPtr
"""Of an object of Qt's, a number of bytes, and whether they may be written."""


class Layer(QGraphicsItem):
    """One thing to paint on the stage, in its pixels; `depth` says what lies over what."""

    depth = 0.0

    def __init__(self, stage: Stage, theme: Theme, texts: Texts) -> None:
        super().__init__(stage)
        self.stage, self.theme, self.texts = stage, theme, texts
        self.setZValue(self.depth)

    def boundingRect(self) -> QRectF:
        return QRectF(self.stage.rect())

    def resized(self) -> None:
        self.prepareGeometryChange()


def over(colour: str, *below: str) -> QColor:
    """What a translucent colour looks like on others, each on the next: painting it opaque is forty
    times faster."""
    if not below:
        return QColor(colour)
    top, ground = QColor(colour), over(*below)
    share = top.alphaF()
    channels = zip(top.getRgbF()[:3], ground.getRgbF()[:3], strict=True)  # type: ignore[index]
    return QColor.fromRgbF(*(share * a + (1.0 - share) * b for a, b in channels))


def thin_pen(colour: str | QColor) -> QPen:
    """One opaque pixel of the screen, which is far cheaper than anything else."""
    pen = QPen(QColor(colour))
    pen.setCosmetic(True)
    return pen


def polygon(x: FloatArray, y: FloatArray) -> QPolygonF:
    """Through these pixels, without a Python object for each."""
    points = QPolygonF()
    points.resize(x.size)
    if x.size:
        memory = np.frombuffer(POINTER(points.data(), 16 * x.size, True), dtype=np.float64)
        memory[0::2] = x
        np.clip(y, -LIMIT_PX, LIMIT_PX, out=memory[1::2])
    return points


def draw_lines(painter: QPainter, ends: FloatArray) -> None:
    """Rows of x1, y1, x2, y2, without a Python object for each."""
    memory = np.ascontiguousarray(ends, dtype=np.float64)
    if memory.size:
        first: Any = wrapInstance(memory.ctypes.data, QLineF)
        painter.drawLines(first, len(memory))


class Grid(Layer):
    depth = -50

    def __init__(self, *about: Any) -> None:
        super().__init__(*about)
        self.vertical: list[float] = []
        self.horizontal: list[float] = []

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        size = self.stage.rect()
        across = [QLineF(0.0, y, size.width(), y) for y in self.horizontal]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(thin_pen(self.theme.grid))
        painter.drawLines([*across, *(QLineF(x, 0.0, x, size.height()) for x in self.vertical)])


class Curve(Layer):
    """Wavelengths in angstrom and fluxes in the units of the trace; NaN is a gap."""

    depth = 0

    def __init__(self, *about: Any, role: str) -> None:
        super().__init__(*about)
        self.role = role
        """Which colour of the theme."""
        self.is_dashed = False
        self.wavelength = self.flux = np.empty(0)
        self.was_painted = False

    def show_data(self, wavelength: FloatArray, flux: FloatArray) -> None:
        self.wavelength, self.flux = wavelength, flux
        self.was_painted = False

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        scale = self.stage.scale_now
        inside = visible(self.wavelength, scale.lo, scale.hi)
        x, y = scale.x(self.wavelength[inside]), scale.y(self.flux[inside])
        x, y = thin(x, y, scale.width)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(self._pen())
        for part in pieces(y):
            if part.stop - part.start > 1:
                painter.drawPolyline(polygon(x[part], y[part]))
            else:
                at, level = x[part.start], min(max(y[part.start], -LIMIT_PX), LIMIT_PX)
                painter.drawLine(QLineF(at - 1.0, level, at + 1.0, level))
        self.was_painted = True

    def _pen(self) -> QPen:
        pen = thin_pen(getattr(self.theme, self.role))
        if self.is_dashed:
            pen.setDashPattern([6.0, 3.0])
        return pen


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
