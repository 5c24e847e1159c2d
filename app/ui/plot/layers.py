"""The layers painted on the stage: the grid, curves, and the windows marked on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget
from shiboken6 import VoidPtr, wrapInstance

from agent.spectra.spectrum import FloatArray, Window
from app.ui.plot.texts import TextCache
from app.ui.plot.trace import pieces, thin, visible
from app.ui.plot.view_box import Stage
from app.ui.theme.theme import Theme

# Far outside the plot: the raster painter misdraws larger coordinates.
LIMIT_PX = 20_000.0

# The stubs of VoidPtr lack the constructor (address, size, writeable).
POINTER: Any = VoidPtr


class Layer(QGraphicsItem):
    """One item painted on the stage, in its pixels; `depth` is the stacking order."""

    depth = 0.0

    def __init__(self, stage: Stage, theme: Theme, texts: TextCache) -> None:
        super().__init__(stage)
        self.stage, self.theme, self.texts = stage, theme, texts
        self.setZValue(self.depth)

    def boundingRect(self) -> QRectF:
        return QRectF(self.stage.rect())

    def resized(self) -> None:
        self.prepareGeometryChange()


def blend(colour: str, *below: str) -> QColor:
    """The opaque colour that a translucent one gives on top of the others.

    Painting opaque is forty times faster.
    """
    if not below:
        return QColor(colour)
    top, ground = QColor(colour), blend(*below)
    alpha = top.alphaF()
    channels = zip(top.getRgbF()[:3], ground.getRgbF()[:3], strict=True)  # type: ignore[index]
    return QColor.fromRgbF(*(alpha * a + (1.0 - alpha) * b for a, b in channels))


def thin_pen(colour: str | QColor) -> QPen:
    """A pen one screen pixel wide, by far the fastest to draw with."""
    pen = QPen(QColor(colour))
    pen.setCosmetic(True)
    return pen


def polygon(x: FloatArray, y: FloatArray) -> QPolygonF:
    """The polygon through these pixels, made without a Python object per point."""
    points = QPolygonF()
    points.resize(x.size)
    if x.size:
        memory = np.frombuffer(POINTER(points.data(), 16 * x.size, True), dtype=np.float64)
        memory[0::2] = x
        np.clip(y, -LIMIT_PX, LIMIT_PX, out=memory[1::2])
    return points


def draw_lines(painter: QPainter, ends: FloatArray) -> None:
    """Draw lines given as rows of x1, y1, x2, y2, without a Python object per line."""
    memory = np.ascontiguousarray(ends, dtype=np.float64)
    if memory.size:
        first: Any = wrapInstance(memory.ctypes.data, QLineF)
        painter.drawLines(first, len(memory))


class Grid(Layer):
    depth = -50

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
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
    """A curve over wavelength: angstrom, and flux in units of the trace; NaN is a gap."""

    depth = 0

    def __init__(self, *args: Any, role: str) -> None:
        super().__init__(*args)
        self.role = role  # attribute of the theme that holds the colour
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
    """The window the agent looks at, and the zoom box while it is being dragged."""

    depth = 25  # above the line marks, so that its name can be read

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.look: Window | None = None
        self.label = ""
        self.box: Window | None = None

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if self.look is not None:
            self._draw(painter, self._rectangle(self.look), self.theme.agent)
            if self.label:
                self._draw_name(painter, self._rectangle(self.look))
        if self.box is not None:
            self._draw(painter, self._rectangle(self.box), self.theme.accent)

    def _rectangle(self, window: Window) -> QRectF:
        scale = self.stage.scale_now
        left, right = (min(max(scale.x(end), -9.0), scale.width + 9.0) for end in window)
        inset = 0.5 * EDGE_PX
        return QRectF(left, 0.0, right - left, scale.height).adjusted(inset, inset, -inset, -inset)

    def _draw(self, painter: QPainter, window: QRectF, colour: str) -> None:
        faint = QColor(colour)
        faint.setAlpha(0 if window.width() > 0.95 * self.stage.rect().width() else ALPHA)
        painter.setPen(QPen(QColor(colour), EDGE_PX))
        painter.setBrush(faint)
        painter.drawRect(window)

    def _draw_name(self, painter: QPainter, window: QRectF) -> None:
        """Draw the name on a chip near the bottom, above the names of the telluric bands."""
        height = self.texts.height + 4.0
        width = self.texts.width(self.label) + 2.0 * CHIP_PX
        left = min(max(window.left(), 0.0) + 8.0, max(self.stage.rect().width() - width - 8.0, 0.0))
        chip = QRectF(left, window.bottom() - 2.4 * height, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.agent))
        painter.drawRoundedRect(chip, 4.0, 4.0)
        painter.setPen(QColor(self.theme.on_agent))
        self.texts.draw(painter, chip.left() + CHIP_PX, chip.top() + 2.0, self.label)
