"""The band of one sigma on each side of the curve, drawn behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPaintEngine, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from agent.spectra.spectrum import BoolArray, FloatArray
from app.ui.plot.layers import LIMIT_PX, Layer, blend, draw_lines, polygon, thin_pen
from app.ui.plot.scale import Scale
from app.ui.plot.shades import Shades
from app.ui.plot.trace import pieces, visible


class ErrorBand(Layer):
    # One line per screen column: filling a translucent polygon takes longer than all the rest.

    depth = -55

    def __init__(self, *args: Any, shades: Shades) -> None:
        super().__init__(*args)
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
        pixel_ratio = painter.device().devicePixelRatio()
        columns = max(int(scale.width * pixel_ratio), 1)
        high = column_values(x * pixel_ratio, top, columns, np.fmin)
        low = column_values(x * pixel_ratio, bottom, columns, np.fmax)
        known = np.isfinite(high) & np.isfinite(low)
        centres = np.asarray((np.arange(columns) + 0.5) / pixel_ratio, dtype=np.float64)
        shaded = self._shades.covers(scale.lo + centres * scale.per_pixel)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        theme = self.theme
        plain, sky = (theme.error_band, theme.plot), (theme.error_band, theme.sky, theme.plot)
        for which, colours in ((known & ~shaded, plain), (known & shaded, sky)):
            painter.setPen(thin_pen(blend(*colours)))
            _draw_verticals(painter, which, centres, np.clip(high, 0.0, scale.height), low)

    def _draw_outline(
        self, painter: QPainter, x: FloatArray, top: FloatArray, bottom: FloatArray
    ) -> None:
        """Draw a polygon into a vector file, which may be viewed at any size."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.error_band))
        for part in pieces(top + bottom):
            around_x = np.concatenate([x[part], x[part][::-1]])
            around_y = np.concatenate([top[part], bottom[part][::-1]])
            painter.drawPolygon(polygon(around_x, around_y))


def column_values(x: FloatArray, y: FloatArray, columns: int, extreme: np.ufunc) -> FloatArray:
    """One value per column: the extreme of the points in it, else the interpolated value."""
    values = np.interp(np.arange(columns) + 0.5, x, y, left=np.nan, right=np.nan)
    first, last = x.searchsorted((0.0, float(columns)))
    column = x[first:last].astype(np.intp)
    if column.size:
        starts = np.concatenate([[0], np.flatnonzero(np.diff(column)) + 1])
        filled = column[starts]
        values[filled] = extreme(values[filled], extreme.reduceat(y[first:last], starts))
    return np.asarray(values)


def _draw_verticals(
    painter: QPainter, which: BoolArray, x: FloatArray, top: FloatArray, bottom: FloatArray
) -> None:
    ends = np.empty((int(which.sum()), 4))
    ends[:, 0] = ends[:, 2] = x[which]
    ends[:, 1] = top[which]
    ends[:, 3] = np.clip(bottom[which], ends[:, 1], LIMIT_PX)
    draw_lines(painter, ends)
