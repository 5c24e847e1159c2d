"""The plot itself: a pyqtgraph plot with our axes, layers and curves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QWidget

from agent.spectra.spectrum import BoolArray, FloatArray, Window
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.plot.axes.badge_layer import BadgeLayer
from app.ui.plot.axes.flux_range import flux_range
from app.ui.plot.canvas.axes import FluxAxis, Frame, WavelengthAxis
from app.ui.plot.canvas.curve import EMPTY, Curve
from app.ui.plot.canvas.layers import Grid, LookLayer
from app.ui.plot.canvas.plot_box import prepare_view
from app.ui.plot.canvas.texts import TextCache
from app.ui.plot.canvas.view_box import SpectrumViewBox
from app.ui.plot.error_band import ErrorBand
from app.ui.plot.marks_layer import Extents, MarksLayer
from app.ui.plot.measured_layer import MeasuredLayer
from app.ui.plot.shades import Shades
from app.ui.plot.trace import Trace
from app.ui.theme.theme import Theme
from app.ui.translation.data_texts import task_text

RIGHT_PX, TOP_PX = 8.0, 4.0


class PlotView(pg.PlotWidget):  # type: ignore[misc]
    """Draws what the panel gives it."""

    painted = Signal(int)
    """Id of the candidate whose spectrum was drawn on the screen, once for each."""
    laid_out = Signal()
    """The stage was moved or resized."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        texts = self.texts = TextCache(QFont())
        stage = self.stage = SpectrumViewBox()
        self.wavelength_axis, self.flux_axis = WavelengthAxis(theme, texts), FluxAxis(theme, texts)
        axes = {"bottom": self.wavelength_axis, "left": self.flux_axis}
        super().__init__(
            parent, background=theme.plot, viewBox=stage, axisItems=axes, enableMenu=False
        )
        prepare_view(self)
        self.hideButtons()
        self.setAcceptDrops(False)
        self.setMinimumSize(240, 60)
        self.getPlotItem().layout.setContentsMargins(0.0, TOP_PX, RIGHT_PX, 0.0)
        for side in ("top", "right"):  # hidden, and yet laid out anew for each range
            self.getAxis(side).unlinkFromView()
        self.theme = theme
        shared = stage, theme, texts
        self.frame = Frame(stage, theme.axis)
        self.grid = Grid(*shared, axes=(self.wavelength_axis, self.flux_axis))
        self.shades = Shades(*shared)
        self.errors = ErrorBand(*shared, shades=self.shades)
        self.raw = Curve(stage, theme, role="flux_raw", depth=-10, width_px=1.0)
        self.curve = Curve(stage, theme)
        self.template = Curve(stage, theme, role="template", depth=5, is_dashed=True)
        self.marks, self.look = MarksLayer(*shared), LookLayer(*shared)
        self.measured = MeasuredLayer(*shared)
        self.extents = Extents(*shared, marks=self.marks)
        self.badges = BadgeLayer(*shared)
        self.trace: Trace | None = None
        self.from_zero = False
        """Whether the flux range includes zero."""
        self._candidate_id: int | None = None
        # The signals of the mouse.
        self.range_requested, self.range_drawn = stage.range_requested, stage.range_drawn
        self.box_changed, self.flux_requested = stage.box_changed, stage.flux_requested
        self.clicked, self.whole_requested = stage.clicked, stage.whole_requested
        self.hovered = stage.hovered
        self.menu_requested = stage.menu_requested
        self.measure_changed, self.measure_drawn = stage.measure_changed, stage.measure_drawn
        stage.geometryChanged.connect(self.laid_out)
        self._fit_font()

    # Content

    def show_trace(self, trace: Trace | None, candidate_id: int | None = None) -> None:
        """Draw another spectrum, or the same one with another smoothing."""
        self.trace, self._candidate_id = trace, candidate_id
        self.measured.trace = trace
        if trace is None:
            for curve in (self.curve, self.raw):
                curve.show_data(EMPTY, EMPTY)
            self.errors.show_data(None)
            self.shades.bad = ()
        else:
            self.curve.show_data(trace.wavelength, trace.on_axis(trace.flux))
            wavelength, raw = raw_underlay(trace)
            self.raw.show_data(wavelength, trace.on_axis(raw))
            self.errors.show_data(trace)
            self.shades.bad = trace.bad
        self.viewport().update()

    def show_range(self, window: Window, *, autoscale: bool) -> None:
        _, flux = self.stage.ranges
        if autoscale and self.trace is not None:
            flux = flux_range(self.trace, window, self.from_zero)
        self.stage.show_range(window, flux)

    def show_flux(self, low: float, high: float) -> None:
        if high - low > 1e-9 * max(abs(low), abs(high)):
            self.stage.show_range(self.stage.ranges[0], (low, high))

    def show_axes(self, x: str, y: str, frame: WavelengthFrame) -> None:
        self.wavelength_axis.title, self.flux_axis.title = x, y
        self.wavelength_axis.frame = frame
        self.flux_axis.is_log = self.trace is not None and self.trace.is_log
        self.viewport().update()

    def show_badges(self, badges: Sequence[str]) -> None:
        self.badges.show_texts(badges)

    def show_look(self, window: Window | None, label: str = "") -> None:
        self.look.look, self.look.label = window, task_text(label)
        self.viewport().update()

    def show_box(self, window: Window | None) -> None:
        self.look.zoom_box = window
        self.viewport().update()

    def apply_theme(self, theme: Theme) -> None:
        self.theme, self.frame.colour = theme, theme.axis
        self.setBackground(theme.plot)
        for item in (
            *(self.wavelength_axis, self.flux_axis, self.extents, self.grid, self.shades),
            *(
                self.errors,
                self.raw,
                self.curve,
                self.template,
                self.marks,
                self.look,
                self.measured,
                self.badges,
            ),
        ):
            item.theme = theme
        self.viewport().update()

    # Qt events

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # Qt may send events from the base constructor, before the layers exist.
        if event.type() == QEvent.Type.FontChange and hasattr(self, "look"):
            self._fit_font()

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

    def _fit_font(self) -> None:
        self.texts.set_font(self.font())
        self.marks.clear_placed()
        for axis in (self.wavelength_axis, self.flux_axis):
            axis.fit_font()
        self.getPlotItem().layout.activate()
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
