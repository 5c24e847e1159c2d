"""The plot itself: the stage with its layers, and the axes around it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QRectF, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from agent.spectra.spectrum import BoolArray, FloatArray, Window
from app.ui.plot.axes import Axes
from app.ui.plot.error_band import ErrorBand
from app.ui.plot.layers import Curve, Grid, LookLayer
from app.ui.plot.marks_layer import Extents, MarksLayer
from app.ui.plot.shades import Shades
from app.ui.plot.texts import TextCache
from app.ui.plot.trace import Trace, flux_range
from app.ui.plot.view_box import SpectrumViewBox
from app.ui.theme.theme import Theme
from app.ui.translation.data_texts import task_text

EMPTY = np.empty(0)


class PlotView(SpectrumViewBox):
    """Draws what the panel gives it."""

    painted = Signal(int)
    """Id of the candidate whose spectrum was drawn on the screen, once for each."""
    laid_out = Signal()
    """The stage was moved or resized."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setAcceptDrops(False)
        self.setMinimumSize(240, 160)
        self.texts = TextCache(self.font())
        shared = self.stage, theme, self.texts
        self.frame = Axes(*shared)
        self.grid, self.shades = Grid(*shared), Shades(*shared)
        self.errors = ErrorBand(*shared, shades=self.shades)
        self.raw, self.curve = Curve(*shared, role="flux_raw"), Curve(*shared, role="flux")
        self.template = Curve(*shared, role="template")
        self.marks, self.look = MarksLayer(*shared), LookLayer(*shared)
        self.extents = Extents(*shared, marks=self.marks)
        self._layers = (
            self.extents,
            *(self.grid, self.shades, self.errors, self.raw),
            *(self.curve, self.template, self.marks, self.look),
        )
        self.raw.setZValue(-10)
        self.template.setZValue(5)
        self.template.is_dashed = True
        self.scene().addItem(self.frame)
        self.scene().addItem(self.stage)
        self.trace: Trace | None = None
        self._candidate_id: int | None = None
        self.stage.scale_changed.connect(self._rescale)

    # Content

    def show_trace(self, trace: Trace | None, candidate_id: int | None = None) -> None:
        """Draw another spectrum, or the same one with another smoothing."""
        self.trace, self._candidate_id = trace, candidate_id
        if trace is None:
            for curve in (self.curve, self.raw):
                curve.show_data(EMPTY, EMPTY)
            self.errors.wavelength = self.errors.flux = self.errors.error = EMPTY
            self.shades.bad = ()
        else:
            self.curve.show_data(trace.wavelength, trace.flux)
            self.raw.show_data(*raw_underlay(trace))
            error = EMPTY if trace.error is None else trace.error
            self.errors.wavelength = trace.wavelength[: error.size]
            self.errors.flux, self.errors.error = trace.flux[: error.size], error
            self.shades.bad = trace.bad
        self.viewport().update()

    def show_range(self, window: Window, *, autoscale: bool) -> None:
        scale = self.stage.scale_now
        flux = scale.bottom, scale.top
        if autoscale and self.trace is not None:
            flux = flux_range(self.trace, window)
        self.stage.show_range(window, flux)

    def show_flux(self, low: float, high: float) -> None:
        scale = self.stage.scale_now
        if high - low > 1e-9 * max(abs(low), abs(high)):
            self.stage.show_range((scale.lo, scale.hi), (low, high))

    def show_titles(self, x: str, y: str, stretch: float) -> None:
        self.frame.x_title, self.frame.y_title = x, y
        self.viewport().update()
        if stretch != self.frame.stretch:
            self.frame.stretch = stretch
            self._rescale()

    def show_look(self, window: Window | None, label: str = "") -> None:
        self.look.look, self.look.label = window, task_text(label)
        self.viewport().update()

    def show_box(self, window: Window | None) -> None:
        self.look.box = window
        self.viewport().update()

    def apply_theme(self, theme: Theme) -> None:
        self.setBackgroundBrush(QColor(theme.plot))
        for item in (self.frame, *self._layers):
            item.theme = theme
        self.viewport().update()

    # Qt events

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Qt may send events from the base constructor, before the layers exist.
        if hasattr(self, "look"):
            self._lay_out()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "look"):
            self.texts.set_font(self.font())
            self.marks.clear_placed()
            self._lay_out()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave all keys, arrows included, to the window's key filter."""
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        candidate_id = self._candidate_id
        if candidate_id is not None and self.curve.was_painted and self._is_on_screen():
            self._candidate_id = None
            self.painted.emit(candidate_id)

    def _is_on_screen(self) -> bool:
        return self.isVisible() and not self.window().isMinimized()

    def _lay_out(self) -> None:
        size = QRectF(0.0, 0.0, self.width(), self.height())
        self.setSceneRect(size)
        self.frame.resized(size)
        for layer in self._layers:
            layer.resized()
        self.stage.set_geometry(self.frame.inner(size))
        self.laid_out.emit()

    def _rescale(self) -> None:
        self.frame.retick()
        self.grid.vertical = [x for x, _ in self.frame.x_ticks]
        self.grid.horizontal = [y for y, _ in self.frame.y_ticks]
        self.viewport().update()


def raw_underlay(trace: Trace) -> tuple[FloatArray, FloatArray]:
    """The raw flux drawn under the curve.

    Under a smoothed curve that is the whole spectrum, else only the bad pixels, each run with its
    two neighbours, so that it joins the curve, and with a gap to the next run.
    """
    if trace.is_smoothed:
        return trace.wavelength, trace.raw
    known = np.isfinite(trace.flux)
    hidden = ~(known & _beside(known))
    raw = np.where(hidden, trace.raw, np.nan)
    kept = hidden | ~_beside(~hidden)
    return trace.wavelength[kept], raw[kept]


def _beside(which: BoolArray) -> BoolArray:
    """Whether all neighbours of each pixel are set; the ends have only one."""
    both = np.ones_like(which)
    both[1:] &= which[:-1]
    both[:-1] &= which[1:]
    return both
