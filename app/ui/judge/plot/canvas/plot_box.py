"""The area in which curves and layers are drawn, with its scale in pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtWidgets import QGraphicsScene, QGraphicsView

from agent.spectra.spectrum import FloatArray, Window

Number = TypeVar("Number", float, FloatArray)

# pyqtgraph drops mouse moves less than 10 ms apart, and with them the start of a quick drag.
pg.setConfigOption("mouseRateLimit", 0)


class PlotBox(pg.ViewBox):  # type: ignore[misc]
    """A view box of wavelengths (angstrom) and fluxes (in units of the trace).

    Its ranges are set, never fitted to what is added. Curves are drawn in these coordinates, layers
    in pixels from the top left corner.
    """

    clicked = Signal(float)  # wavelength
    whole_requested = Signal()
    hovered = Signal(object)  # position of the mouse in pixels of the box; None when it has left

    def __init__(self) -> None:
        super().__init__(enableMouse=False, enableMenu=False, defaultPadding=0.0)
        self.disableAutoRange()
        self.setFlag(self.GraphicsItemFlag.ItemHasNoContents)  # no border: see Frame
        self._scale: Scale | None = None
        self.gaps: tuple[Window, ...] = ()
        self.sigRangeChanged.connect(self._forget_scale)
        self.geometryChanged.connect(self._forget_scale)

    @property
    def scale_now(self) -> Scale:
        if self._scale is None:
            size = self.size()
            window, flux = self.ranges
            width, height = max(size.width(), 1.0), max(size.height(), 1.0)
            breaks = self.breaks_in(window, width)
            self._scale = Scale(*window, *flux, width, height, breaks)
        return self._scale

    def show_gaps(self, gaps: tuple[Window, ...]) -> None:
        """Break the axis at these ranges, in which there is nothing to draw."""
        self.gaps = gaps
        self._forget_scale()

    def breaks_in(self, window: Window, width: float) -> tuple[Window, ...]:
        """The gaps in a window that a break makes narrower; none where hardly more is left."""
        if not self.gaps:
            return ()  # as for most objects: it is asked several times a frame
        lo, hi = window
        inside = ((max(first, lo), min(last, hi)) for first, last in self.gaps)
        least = 2.0 * BREAK_PX * (hi - lo) / width
        breaks = tuple((first, last) for first, last in inside if last - first > least)
        is_narrow = len(breaks) * BREAK_PX > MOST_BREAKS * width
        hidden = sum(last - first for first, last in breaks)
        return () if is_narrow or hidden > MOST_HIDDEN * (hi - lo) else breaks

    @property
    def ranges(self) -> tuple[Window, Window]:
        (lo, hi), (low, high) = self.viewRange()
        return (lo, hi), (low, high)

    def show_range(self, window: Window, flux: Window) -> None:
        if all(map(math.isfinite, (*window, *flux))):
            x, y = _not_empty(window), _not_empty(flux)
            self.setRange(xRange=x, yRange=y, padding=0, disableAutoRange=False)
            # Left to pyqtgraph, this happens while painting, after which all is painted again.
            self.updateMatrix()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self.updateMatrix()

    def _forget_scale(self) -> None:
        self._scale = None

    def boundingRect(self) -> QRectF:
        return QRectF(self.rect())

    def hoverEvent(self, event: Any) -> None:
        self.hovered.emit(None if event.isExit() else QPointF(event.pos()))

    def mouseClickEvent(self, event: Any) -> None:
        """Clicks on the axes arrive here, too."""
        at = self.mapFromScene(event.scenePos())
        if event.button() != Qt.MouseButton.LeftButton or not self.rect().contains(at):
            return
        event.accept()
        if event.double():
            self.whole_requested.emit()
        else:
            self.clicked.emit(self.scale_now.wavelength(at.x()))

    def keyPressEvent(self, event: Any) -> None:
        """Leave all keys to the window's key filter."""
        event.ignore()


def _not_empty(ends: Window) -> Window:
    """Widen an empty range, as of a spectrum with a single pixel."""
    return ends if ends[0] < ends[1] else (ends[0] - 0.5, ends[0] + 0.5)


BREAK_PX = 24.0  # what a break of the axis is wide
MOST_BREAKS, MOST_HIDDEN = 0.25, 0.95  # shares of the plot for breaks, and of a window in them
BEYOND = 1e7  # angstrom on each side of a window, to which the scale goes on
DRAG_PX = 4.0  # a shorter drag is a click, however long it takes


def prepare_view(view: pg.GraphicsView) -> None:
    """Set up a view of plots for few items, all of which change together."""
    scene = view.scene()
    scene.setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
    scene.setMoveDistance(DRAG_PX)
    scene.minDragTime = math.inf
    view.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
    view.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)


@dataclass(frozen=True)
class Scale:
    """Maps wavelengths `lo` to `hi` to `width` pixels, fluxes `bottom` to `top` to `height`.

    Each of the `breaks` is BREAK_PX wide; all that is beside them has one scale.
    """

    lo: float
    hi: float
    bottom: float
    top: float
    width: float
    height: float
    breaks: tuple[Window, ...] = ()

    def x(self, wavelength: Number) -> Number:
        if self.breaks:
            return _interpolated(wavelength, *self._knots)
        return (wavelength - self.lo) * (self.width / (self.hi - self.lo))

    def y(self, flux: Number) -> Number:
        return (self.top - flux) * (self.height / (self.top - self.bottom))

    def wavelength(self, x: Number) -> Number:
        if self.breaks:
            return _interpolated(x, *self._knots[::-1])
        return self.lo + x * self.per_pixel

    def is_hidden(self, wavelength: float) -> bool:
        """Whether it is in a break, where nothing is drawn."""
        return any(first < wavelength < last for first, last in self.breaks)

    @cached_property
    def _knots(self) -> tuple[FloatArray, FloatArray]:
        """Wavelengths and pixels of the ends of the breaks, and far beyond the window."""
        at, x, per_pixel = self.lo, 0.0, self.per_pixel
        knots = [(self.lo - BEYOND, -BEYOND / per_pixel)]
        for first, last in self.breaks:
            x += (first - at) / per_pixel
            knots += [(first, x), (last, x + BREAK_PX)]
            at, x = last, x + BREAK_PX
        knots.append((self.hi + BEYOND, x + (self.hi + BEYOND - at) / per_pixel))
        wavelengths, pixels = np.array(knots).T
        return wavelengths, pixels

    def flux(self, y: float) -> float:
        return self.top - y * self.flux_per_pixel

    @property
    def per_pixel(self) -> float:
        """Angstrom per pixel, beside the breaks."""
        if not self.breaks:
            return self.view_per_pixel
        hidden = sum(last - first for first, last in self.breaks)
        return (self.hi - self.lo - hidden) / (self.width - BREAK_PX * len(self.breaks))

    @property
    def view_per_pixel(self) -> float:
        """Angstrom per pixel in coordinates of the view, which knows no breaks."""
        return (self.hi - self.lo) / self.width

    @property
    def flux_per_pixel(self) -> float:
        return (self.top - self.bottom) / self.height


def _interpolated(value: Number, known: FloatArray, wanted: FloatArray) -> Number:
    found = np.interp(value, known, wanted)
    return found if isinstance(value, np.ndarray) else float(found)
