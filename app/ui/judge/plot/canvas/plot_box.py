"""The area in which curves and layers are drawn, with its scale in pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeVar

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
        self.sigRangeChanged.connect(self._forget_scale)
        self.geometryChanged.connect(self._forget_scale)

    @property
    def scale_now(self) -> Scale:
        if self._scale is None:
            size = self.size()
            window, flux = self.ranges
            width, height = max(size.width(), 1.0), max(size.height(), 1.0)
            self._scale = Scale(*window, *flux, width, height)
        return self._scale

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
    """Maps wavelengths `lo` to `hi` to `width` pixels, fluxes `bottom` to `top` to `height`."""

    lo: float
    hi: float
    bottom: float
    top: float
    width: float
    height: float

    def x(self, wavelength: Number) -> Number:
        return (wavelength - self.lo) * (self.width / (self.hi - self.lo))

    def y(self, flux: Number) -> Number:
        return (self.top - flux) * (self.height / (self.top - self.bottom))

    def wavelength(self, x: float) -> float:
        return self.lo + x * self.per_pixel

    def flux(self, y: float) -> float:
        return self.top - y * self.flux_per_pixel

    @property
    def per_pixel(self) -> float:
        """Angstrom per pixel."""
        return (self.hi - self.lo) / self.width

    @property
    def flux_per_pixel(self) -> float:
        return (self.top - self.bottom) / self.height
