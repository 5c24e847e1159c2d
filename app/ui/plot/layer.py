"""What the layers of the plot have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem
from shiboken6 import VoidPtr, wrapInstance

from agent.spectra.spectrum import FloatArray
from app.ui.plot.stage import Stage
from app.ui.plot.texts import Texts
from app.ui.theme import Theme

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
