"""The rectangle the spectrum is drawn in: its scale, and what the mouse asks for."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QPointF, Qt, Signal

from app.ui.plot.scale import Scale
from app.ui.plot.trace import Range

WHEEL = 1.0016
"""Per unit of the wheel; a notch has 120."""


class Stage(pg.ViewBox):  # type: ignore[misc]
    """Drag pans, wheel zooms at the cursor (with Ctrl the flux), right or Shift-drag draws a range.

    Fluxes are in the units of the trace. Layers are its children and paint in its pixels.
    """

    range_wanted = Signal(float, float)
    """By panning and zooming."""
    range_drawn = Signal(float, float)
    """A box, when it is finished."""
    box_changed = Signal(object)
    """The Range a box covers while it is drawn; None: no longer."""
    flux_wanted = Signal(float, float)
    clicked = Signal(float)
    """On a wavelength."""
    whole_wanted = Signal()
    scale_changed = Signal()

    def __init__(self) -> None:
        super().__init__(enableMenu=False, enableMouse=False, defaultPadding=0.0)
        self.disableAutoRange()
        self._scale: Scale | None = None
        self._grabbed: Scale | None = None
        self.sigRangeChanged.connect(self._forget)
        self.sigResized.connect(self._forget)

    @property
    def scale_now(self) -> Scale:
        if self._scale is None:
            (lo, hi), (bottom, top) = self.viewRange()
            size = self.rect()
            width, height = max(size.width(), 1.0), max(size.height(), 1.0)
            self._scale = Scale(lo, hi, bottom, top, width, height)
        return self._scale

    def show_range(self, window: Range, flux: Range) -> None:
        self.setRange(xRange=window, yRange=flux, padding=0.0)

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:
        event.accept()
        scale = self.scale_now
        factor = WHEEL ** -event.delta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            at = scale.flux(event.pos().y())
            low, high = (at + (end - at) * factor for end in (scale.bottom, scale.top))
            self.flux_wanted.emit(low, high)
            return
        if event.orientation() == Qt.Orientation.Horizontal:
            step = -event.delta() / 120.0 * 0.05 * (scale.hi - scale.lo)
            self.range_wanted.emit(scale.lo + step, scale.hi + step)
            return
        at = scale.wavelength(event.pos().x())
        self.range_wanted.emit(at + (scale.lo - at) * factor, at + (scale.hi - at) * factor)

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        event.accept()
        if event.isStart() or self._grabbed is None:
            self._grabbed = self.scale_now
        start, now = event.buttonDownPos(), event.pos()
        with_shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.button() == Qt.MouseButton.RightButton or with_shift:
            self._draw_box(start, now, event.isFinish())
        else:
            shift = (start.x() - now.x()) * self._grabbed.per_pixel
            self.range_wanted.emit(self._grabbed.lo + shift, self._grabbed.hi + shift)
        if event.isFinish():
            self._grabbed = None

    def mouseClickEvent(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        event.accept()
        if event.double():
            self.whole_wanted.emit()
        else:
            self.clicked.emit(self.scale_now.wavelength(event.pos().x()))

    def _draw_box(self, start: QPointF, now: QPointF, is_finished: bool) -> None:
        ends = sorted(self.scale_now.wavelength(point.x()) for point in (start, now))
        self.box_changed.emit(None if is_finished else (ends[0], ends[1]))
        if is_finished:
            self.range_drawn.emit(ends[0], ends[1])

    def _forget(self, *_: object) -> None:
        self._scale = None
        self.scale_changed.emit()
