"""What is behind the curve: shades of bad pixels, sky lines and telluric bands, and its errors."""

import re
from collections.abc import Sequence

import numpy as np
from pyqtgraph.functions import arrayToQPolygonF
from pyqtgraph.graphicsItems.PlotCurveItem import arrayToLineSegments
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPaintEngine, QPainter

from agent.spectra.lines import Line
from agent.spectra.spectrum import BoolArray, FloatArray, Window
from app.ui.base.theme.theme import Theme
from app.ui.judge.plot.canvas.curve import LIMIT_PX, pieces, visible
from app.ui.judge.plot.canvas.layers import Layer
from app.ui.judge.plot.canvas.paint import TextCache, blend, dot_pen, dots_per_pixel, keep
from app.ui.judge.plot.canvas.plot_box import PlotBox, Scale
from app.ui.judge.plot.trace import Trace

SKY_LINE_A = 4.0  # half width of the shade of a sky line that has no extent
RUG_PX = 5.0  # height of the bar below bad pixels, so that they do not differ by colour alone
MIN_SHADE_PX = 1.5
SPAN = re.compile(r" \d+-\d+$")
"""The range in the name of a band, left out because the shade shows it."""


class Shades(Layer):
    """Shaded wavelength ranges, in the observed frame."""

    depth = -60
    bad: tuple[Window, ...] = ()
    windows: tuple[Window, ...] = ()
    names: tuple[tuple[Window, str], ...] = ()

    def show_terrestrial(self, lines: tuple[Line, ...]) -> None:
        self.windows = merged([_shaded(line) for line in lines])
        bands = [line for line in lines if line.kind == "telluric"]
        self.names = tuple((_shaded(line), SPAN.sub("", line.label)) for line in bands)

    def draw(self, painter: QPainter) -> None:
        scale, theme = self.box.scale_now, self.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for windows, shade in ((self.windows, theme.sky), (self.bad, theme.bad_pixels)):
            shaded = rectangles(windows, scale, 0.0, scale.height)
            fill(painter, blend(shade, theme.plot), shaded)
        foot = rectangles(self.bad, scale, scale.height - RUG_PX, scale.height)
        fill(painter, QColor(theme.bad_pixels[:1] + theme.bad_pixels[-6:]), foot)
        self._draw_names(painter, scale)

    def _draw_names(self, painter: QPainter, scale: Scale) -> None:
        """Draw the names of telluric bands at the bottom, where there is room."""
        painter.setPen(QColor(self.theme.dim))
        y = scale.height - self.texts.height - RUG_PX - 1.0
        end = 0.0
        for (lo, hi), label in sorted(self.names):
            left, right = max(scale.x(lo), 0.0), min(scale.x(hi), scale.width)
            width = self.texts.width(label)
            if right > left and width + 4.0 <= right - left and left >= end:
                self.texts.draw(painter, 0.5 * (left + right), y, label, 0.5)
                end = right

    def covers(self, wavelength: FloatArray) -> BoolArray:
        """Whether each wavelength is shaded as sky."""
        if not self.windows or not self.isVisible():
            return np.zeros(wavelength.size, dtype=np.bool_)
        return np.asarray(np.array(self.windows).ravel().searchsorted(wavelength) % 2 == 1)


def merged(windows: Sequence[Window]) -> tuple[Window, ...]:
    """The windows joined where they overlap: two translucent shades would look darker."""
    joined: list[Window] = []
    for lo, hi in sorted(windows):
        if joined and lo <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(hi, joined[-1][1])
        else:
            joined.append((lo, hi))
    return tuple(joined)


def _shaded(line: Line) -> Window:
    return line.extent or (line.wavelength - SKY_LINE_A, line.wavelength + SKY_LINE_A)


def rectangles(
    windows: tuple[Window, ...], scale: Scale, top: float, bottom: float
) -> list[QRectF]:
    ends = [(scale.x(lo), scale.x(hi)) for lo, hi in windows if hi > scale.lo and lo < scale.hi]
    inside = [(max(left, 0.0), min(right, scale.width)) for left, right in ends]
    height = bottom - top
    return [QRectF(lo, top, max(hi - lo, MIN_SHADE_PX), height) for lo, hi in inside]


def fill(painter: QPainter, colour: QColor, rectangles: list[QRectF]) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRects(rectangles)


class ErrorBand(Layer):
    """The band of one sigma on each side of the curve."""

    # One line per screen column: filling a translucent polygon takes longer than all the rest.

    depth = -55
    trace: Trace | None = None

    def __init__(self, box: PlotBox, theme: Theme, texts: TextCache, shades: Shades) -> None:
        super().__init__(box, theme, texts)
        self._shades = shades

    def draw(self, painter: QPainter) -> None:
        scale, trace = self.box.scale_now, self.trace
        if trace is None or trace.error is None:
            return
        if painter.paintEngine().type() == QPaintEngine.Type.Raster:
            self._draw_columns(painter, scale, trace)
        else:
            self._draw_outline(painter, scale, trace)

    def _draw_columns(self, painter: QPainter, scale: Scale, trace: Trace) -> None:
        dots = dots_per_pixel(painter)
        low, high = band_columns(trace, scale, dots)
        low, high, columns = scale.y(low), scale.y(high), low.size
        known = np.isfinite(high) & np.isfinite(low)
        centres = np.asarray((np.arange(columns) + 0.5) / dots, dtype=np.float64)
        shaded = self._shades.covers(scale.wavelength(centres))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        theme = self.theme
        plain, sky = (theme.error_band, theme.plot), (theme.error_band, theme.sky, theme.plot)
        for which, colours in ((known & ~shaded, plain), (known & shaded, sky)):
            painter.setPen(dot_pen(blend(*colours), 1.0))
            _draw_verticals(painter, which, centres, np.clip(high, 0.0, scale.height), low)

    def _draw_outline(self, painter: QPainter, scale: Scale, trace: Trace) -> None:
        """Draw a polygon into a vector file, which may be viewed at any size."""
        x, low, high = _band(trace, scale)
        top, bottom = scale.y(high), scale.y(low)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.error_band))
        for part in pieces(top + bottom):
            around_x = np.concatenate([x[part], x[part][::-1]])
            around_y = np.concatenate([top[part], bottom[part][::-1]])
            painter.drawPolygon(arrayToQPolygonF(around_x, _near(around_y)))


def _band(trace: Trace, scale: Scale) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Pixels, and the edges of the band there in coordinates of the plot."""
    inside = visible(trace.wavelength, scale.lo, scale.hi)
    x, flux, error = scale.x(trace.wavelength[inside]), trace.flux[inside], trace.error
    assert error is not None
    return x, trace.on_axis(flux - error[inside]), trace.on_axis(flux + error[inside])


def band_columns(trace: Trace, scale: Scale, dots: float) -> tuple[FloatArray, FloatArray]:
    """The lower and upper edge of the band in each column of dots, computed once for a scale."""
    key = scale.lo, scale.hi, scale.width, scale.breaks, dots
    if key in trace.columns:
        return trace.columns[key]
    columns = max(int(scale.width * dots), 1)
    x, low, high = _band(trace, scale)
    if x.size < 2:  # no band
        return np.full(columns, np.nan), np.full(columns, np.nan)
    lowest = column_values(x * dots, low, columns, np.fmin)
    return keep(trace.columns, key, (lowest, column_values(x * dots, high, columns, np.fmax)))


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
    if which.any():
        ends = _near(np.column_stack([top[which], np.maximum(bottom[which], top[which])]).ravel())
        twice = np.repeat(x[which], 2)
        lines = arrayToLineSegments(twice, ends, connect="pairs", finiteCheck=False)
        painter.drawLines(*lines.drawargs())


def _near(y: FloatArray) -> FloatArray:
    return np.clip(y, -LIMIT_PX, LIMIT_PX)
