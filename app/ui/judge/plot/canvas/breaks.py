"""Breaks of the wavelength axis: wide gaps, as between the arms of LAMOST-MRS, drawn narrow."""

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from agent.spectra.spectrum import FloatArray, Window
from app.ui.judge.plot.canvas.layers import Layer

WIDE = 0.1  # of the range of a spectrum; a narrower gap is drawn as wide as it is
MARGIN = 0.01  # of a gap, on each side, which is not hidden
TOOTH_PX, SLANT_PX = 6.0, 4.0


def wide_gaps(wavelength: FloatArray, flux: FloatArray) -> tuple[Window, ...]:
    """Ranges in which a file has no flux at all, each a good part of the whole."""
    known = np.isfinite(flux)
    if not known.any():
        return ()
    at = wavelength[known]
    widths = np.diff(at)
    wide = np.flatnonzero(widths > WIDE * (at[-1] - at[0]))
    edges = ((at[gap], at[gap + 1], MARGIN * widths[gap]) for gap in wide)
    return tuple((float(low + margin), float(high - margin)) for low, high, margin in edges)


class BreakLayer(Layer):
    """Torn edges in place of each gap, over all that would be squeezed into it."""

    depth = 10  # above the curves; no mark is in a gap, but names may reach into it

    def draw(self, painter: QPainter) -> None:
        scale = self.box.scale_now
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for first, last in scale.breaks:
            left, right = scale.x(first), scale.x(last)
            painter.fillRect(
                QRectF(left, -1.0, right - left, scale.height + 2.0), QColor(self.theme.plot)
            )
            painter.setPen(QPen(QColor(self.theme.axis), 1.0))
            for edge in (left, right):
                painter.drawPolyline(_torn(edge, scale.height))
            middle = 0.5 * (left + right)
            for y in (0.0, scale.height):  # the sign of a break, across the frame
                for x in (middle - SLANT_PX, middle + SLANT_PX):
                    ends = QPointF(x - SLANT_PX, y + SLANT_PX), QPointF(x + SLANT_PX, y - SLANT_PX)
                    painter.drawLine(QLineF(*ends))


def _torn(x: float, height: float) -> QPolygonF:
    """A zigzag from top to bottom."""
    teeth = int(height / TOOTH_PX) + 1
    sides = (x + (0.25 if tooth % 2 else -0.25) * TOOTH_PX for tooth in range(teeth + 1))
    return QPolygonF([QPointF(at, tooth * TOOTH_PX) for tooth, at in enumerate(sides)])
