"""A curve over wavelength, as wide on every screen and fast at any number of pixels."""

from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPen, QPolygonF

from agent.spectra.spectrum import FloatArray, Window
from app.ui.base.theme.theme import Theme
from app.ui.judge.plot.canvas.paint import dot_pen, dots_per_pixel, keep
from app.ui.judge.plot.canvas.plot_box import PlotBox, Scale

EMPTY = np.empty(0)
LINE_PX = 1.3
OWN_WIDTH = 0.45
"""What a level curve that rises and falls in each column covers of it by itself, in dots."""
DASH_PX = (6.0, 3.0)
# Far outside the plot: the raster painter misdraws larger coordinates.
LIMIT_PX = 20_000.0
DENSE = 1.0  # points per column above which only the extremes are drawn
NO_LIMITS: Window = (-np.inf, np.inf)


class CurveShape(NamedTuple):
    """The points of a curve at one scale, in coordinates of the plot.

    A curve that is painted one dot wide has them as polylines, too.
    """

    x: FloatArray
    y: FloatArray
    is_one_dot: bool
    polylines: list[QPolygonF]


CurveShapes = dict[tuple[Scale, float, Window], CurveShape]


class Curve(pg.PlotCurveItem):  # type: ignore[misc]
    """Wavelengths in angstrom, fluxes in units of the trace; NaN is a gap."""

    # What is drawn is made when it is painted, for the dots of the screen: pyqtgraph's own
    # downsampling takes blocks of equal numbers of pixels, in which one NaN swallows the others.

    def __init__(
        self,
        box: PlotBox,
        theme: Theme,
        *,
        role: str = "flux",
        depth: float = 0.0,
        width_px: float = LINE_PX,
        is_dashed: bool = False,
    ) -> None:
        super().__init__(connect="finite", antialias=True)
        self.box, self.theme = box, theme
        self.width_px = width_px
        self.role, self.is_dashed = role, is_dashed  # the role is a colour of the theme
        self.wavelength = self.flux = EMPTY
        self._kept: CurveShapes = {}
        self._limits = NO_LIMITS
        self._polylines: list[QPolygonF] = []
        self.was_painted = False
        self._drawn_for: tuple[Scale, float, str] | None = None
        self.setZValue(depth)
        box.addItem(self, ignoreBounds=True)

    def show_data(
        self,
        wavelength: FloatArray,
        flux: FloatArray,
        kept: CurveShapes | None = None,
        limits: Window = NO_LIMITS,
    ) -> None:
        """Show fluxes within limits; `kept` may hold what `shape_at` has computed ahead."""
        self.wavelength, self.flux = wavelength, flux
        self._kept, self._limits = {} if kept is None else kept, limits
        self.was_painted, self._drawn_for = False, None
        self.update()

    def boundingRect(self) -> QRectF:
        return QRectF(self.box.viewRect())

    def paint(self, painter: QPainter, *more: object) -> None:
        self.was_painted = True
        if not self.flux.size:
            return
        scale = self.box.scale_now
        # The transformation of the box is not exact.
        dots = round(dots_per_pixel(painter) * scale.view_per_pixel, 6)
        key = scale, dots, getattr(self.theme, self.role)
        if key != self._drawn_for:
            self._make(*key)
            self._drawn_for = key
        if not self._polylines:
            super().paint(painter, *more)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self.opts["pen"])
        for number in range(round(self.width_px * dots) if self.is_dashed else 1):
            painter.translate(0.0, scale.flux_per_pixel / dots if number else 0.0)
            for line in self._polylines:
                painter.drawPolyline(line)

    def _make(self, scale: Scale, dots: float, colour: str) -> None:
        made = self.shape_at(self.wavelength, self.flux, self._kept, self._limits, scale, dots)
        self.xData, self.yData, is_one_dot, self._polylines = made
        self.path, self._lineSegmentsRendered = None, False
        pen = dot_pen(colour, 1.0 if is_one_dot else self.width_px * dots)
        if self.is_dashed:
            pen = QPen(pen)
            pen.setDashPattern([length * dots for length in DASH_PX])
        self.opts["pen"], self.opts["segmentedLineMode"] = pen, "on"

    def shape_at(
        self,
        wavelength: FloatArray,
        flux: FloatArray,
        kept: CurveShapes,
        limits: Window,
        scale: Scale,
        dots: float,
    ) -> CurveShape:
        """What is painted at a scale, computed once for it.

        Qt draws lines wider than a dot a hundred times slower, unless each is a segment by itself.
        A dense curve is nearly vertical everywhere, so it is widened up and down; dashes are drawn
        once for each dot of their width. PlotCurveItem paints the segments; the rest it would turn
        into a path, which takes as long as painting it.
        """
        if (key := (scale, dots, limits)) in kept:
            return kept[key]
        inside = visible(wavelength, scale.lo, scale.hi)
        x, y = scale.x(wavelength[inside]) * dots, np.clip(flux[inside], *limits)
        columns, dot = scale.width * dots, scale.flux_per_pixel / dots
        dense, width = is_dense(x, columns), self.width_px * dots
        x, y = thin(x, y, columns)
        if dense and not self.is_dashed:
            y = widened(y, 0.5 * (width - OWN_WIDTH) * dot)
        x, y = with_dots(x, y, dots)
        far = LIMIT_PX * scale.flux_per_pixel
        x = scale.lo + x * (scale.view_per_pixel / dots)
        y = np.clip(y, scale.bottom - far, scale.top + far)
        is_one_dot = dense or self.is_dashed or width <= 1.0
        lines = [arrayToQPolygonF(x[part], y[part]) for part in pieces(y) if is_one_dot]
        return keep(kept, key, CurveShape(x, y, is_one_dot, lines))


def widened(y: FloatArray, by: float) -> FloatArray:
    """A thinned curve with the two values of each column moved apart by this much each."""
    pairs = y.reshape(-1, 2)
    falls = pairs[:, :1] > pairs[:, 1:]
    return np.asarray(pairs + np.where(falls, by, -by) * np.array([1.0, -1.0])).ravel()


def with_dots(x: FloatArray, y: FloatArray, half: float) -> tuple[FloatArray, FloatArray]:
    """The points with a short line in place of each that has no neighbour to be joined to."""
    known = np.isfinite(y)
    beside = np.zeros_like(known)
    beside[1:] |= known[:-1]
    beside[:-1] |= known[1:]
    alone = known & ~beside
    if not alone.any():
        return x, y
    times = np.where(alone, 2, 1)
    x, y = np.repeat(x, times), np.repeat(y, times)
    first = np.flatnonzero(np.repeat(alone, times))[0::2]
    x[first] -= half
    x[first + 1] += half
    return x, y


# Which points of a curve are drawn: those in sight, and of many in a column only the extremes.
def visible(wavelength: FloatArray, lo: float, hi: float) -> slice:
    """The pixels in a window, and one more on each side so that the curve reaches the edge."""
    first, last = wavelength.searchsorted((lo, hi)).tolist()
    return slice(max(first - 1, 0), min(last + 1, wavelength.size))


def is_dense(x: FloatArray, columns: float) -> bool:
    """Whether a curve of so many points is reduced to the extremes of each column."""
    return x.size > DENSE * columns


def thin(x: FloatArray, y: FloatArray, columns: float) -> tuple[FloatArray, FloatArray]:
    """Reduce a dense curve to the extremes of each column; a column without a value is NaN.

    `x` increases and is in pixels.
    """
    if not is_dense(x, columns):
        return x, y
    column = np.floor(x)
    starts = np.concatenate([[0], np.flatnonzero(column[1:] != column[:-1]) + 1])
    low, high = np.fmin.reduceat(y, starts), np.fmax.reduceat(y, starts)
    first = y[starts]
    # Start at the end where the column is entered, so that a rising edge is not a zigzag.
    enters_low = np.abs(first - low) <= np.abs(high - first)
    thinned = np.empty(2 * starts.size)
    thinned[0::2] = np.where(enters_low, low, high)
    thinned[1::2] = np.where(enters_low, high, low)
    x = np.repeat(column[starts] + 0.5, 2)
    if not np.isnan(y.min()):
        return x, thinned
    # A NaN beside a value in a column must still part it from the next column with one.
    ends, after = starts[1:] - 1, starts[1:]
    apart = np.flatnonzero((np.diff(column[starts]) > 1) & (np.isnan(y[ends]) | np.isnan(y[after])))
    if apart.size:
        at = np.repeat(2 * apart + 2, 2)
        x, thinned = np.insert(x, at, x[at - 1] + 1.0), np.insert(thinned, at, np.nan)
    return x, thinned


def polylines(wavelength: FloatArray, flux: FloatArray, scale: Scale) -> list[QPolygonF]:
    """A curve in the pixels of a small plot, a polyline for each stretch without a gap."""
    x, y = thin(scale.x(wavelength), scale.y(flux), scale.width)
    y = y.clip(-LIMIT_PX, LIMIT_PX)
    return [arrayToQPolygonF(x[part], y[part]) for part in pieces(y)]


def pieces(y: FloatArray) -> list[slice]:
    """Contiguous runs without NaN."""
    known = np.isfinite(y)
    if known.all():
        return [slice(0, y.size)] if y.size else []
    steps = np.diff(np.concatenate([[0], known.astype(np.int8), [0]]))
    starts, ends = np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist()
    return [slice(start, end) for start, end in zip(starts, ends, strict=True)]
