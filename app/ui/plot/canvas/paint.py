"""Pens and colours for painting, sharp at any scale of the screen."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPen


@lru_cache(maxsize=256)
def blend(colour: str, *below: str) -> QColor:
    """The opaque colour that a translucent one gives on top of the others.

    Painting opaque is forty times faster. The colour is shared: copy it before you change it.
    """
    if not below:
        return QColor(colour)
    top, ground = QColor(colour), blend(*below)
    alpha = top.alphaF()
    channels = zip(top.getRgbF()[:3], ground.getRgbF()[:3], strict=True)  # type: ignore[index]
    return QColor.fromRgbF(*(alpha * a + (1.0 - alpha) * b for a, b in channels))


def dots_per_pixel(painter: QPainter) -> float:
    """Dots of the screen or picture per unit of the painter, where it paints in pixels."""
    return float(painter.combinedTransform().m11())


def hairline(painter: QPainter, colour: str | QColor) -> QPen:
    """A pen one pixel wide, in whole dots of the screen, by far the fastest to draw with."""
    return dot_pen(colour, max(round(dots_per_pixel(painter)), 1))


def dot_pen(colour: str | QColor, dots: float) -> QPen:
    """A pen whose width is given in dots of the screen or picture, whatever the scale."""
    pen = QPen(QColor(colour), dots)
    pen.setCosmetic(True)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap if dots > 1.0 else Qt.PenCapStyle.SquareCap)
    return pen
