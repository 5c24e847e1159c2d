"""One sigma on each side of the curve, behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPaintEngine, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from agent.spectra.spectrum import BoolArray, FloatArray
from app.ui.plot.layers import LIMIT_PX, Layer, draw_lines, over, polygon, thin_pen
from app.ui.plot.scale import Scale
from app.ui.plot.shades import Shades
from app.ui.plot.trace import pieces, visible


class ErrorBand(Layer):
    """A line for each column of the screen: a translucent polygon costs more than all the rest."""

    depth = -55

    def __init__(self, *about: Any, shades: Shades) -> None:
        super().__init__(*about)
        self.wavelength = self.flux = self.error = np.empty(0)
        self._shades = shades

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        scale = self.stage.scale_now
        inside = visible(self.wavelength, scale.lo, scale.hi)
        x = scale.x(self.wavelength[inside])
        flux, error = self.flux[inside], self.error[inside]
        top, bottom = scale.y(flux + error), scale.y(flux - error)
        if x.size < 2:
            return
        if painter.paintEngine().type() == QPaintEngine.Type.Raster:
            self._draw_columns(painter, scale, x, top, bottom)
        else:
            self._draw_outline(painter, x, top, bottom)

    def _draw_columns(
        self, painter: QPainter, scale: Scale, x: FloatArray, top: FloatArray, bottom: FloatArray
    ) -> None:
        finer = painter.device().devicePixelRatio()
        columns = max(int(scale.width * finer), 1)
        high = columned(x * finer, top, columns, np.fmin)
        low = columned(x * finer, bottom, columns, np.fmax)
        there = np.isfinite(high) & np.isfinite(low)
        centres = np.asarray((np.arange(columns) + 0.5) / finer, dtype=np.float64)
        shaded = self._shades.covers(scale.lo + centres * scale.per_pixel)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        theme = self.theme
        plain, sky = (theme.error_band, theme.plot), (theme.error_band, theme.sky, theme.plot)
        for which, colours in ((there & ~shaded, plain), (there & shaded, sky)):
            painter.setPen(thin_pen(over(*colours)))
            _draw_lines(painter, which, centres, np.clip(high, 0.0, scale.height), low)

    def _draw_outline(
        self, painter: QPainter, x: FloatArray, top: FloatArray, bottom: FloatArray
    ) -> None:
        """For files, which may be looked at at any size."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.error_band))
        for part in pieces(top + bottom):
            around_x = np.concatenate([x[part], x[part][::-1]])
            around_y = np.concatenate([top[part], bottom[part][::-1]])
            painter.drawPolygon(polygon(around_x, around_y))


def columned(x: FloatArray, y: FloatArray, columns: int, extreme: np.ufunc) -> FloatArray:
    """One value for each column: of the line through the points, or their extreme in it."""
    values = np.interp(np.arange(columns) + 0.5, x, y, left=np.nan, right=np.nan)
    first, last = x.searchsorted((0.0, float(columns)))
    column = x[first:last].astype(np.intp)
    if column.size:
        starts = np.concatenate([[0], np.flatnonzero(np.diff(column)) + 1])
        there = column[starts]
        values[there] = extreme(values[there], extreme.reduceat(y[first:last], starts))
    return np.asarray(values)


def _draw_lines(
    painter: QPainter, which: BoolArray, x: FloatArray, top: FloatArray, bottom: FloatArray
) -> None:
    """From top to bottom."""
    ends = np.empty((int(which.sum()), 4))
    ends[:, 0] = ends[:, 2] = x[which]
    ends[:, 1] = top[which]
    ends[:, 3] = np.clip(bottom[which], ends[:, 1], LIMIT_PX)
    draw_lines(painter, ends)
