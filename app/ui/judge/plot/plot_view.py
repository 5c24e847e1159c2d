"""The plot itself: a pyqtgraph plot with our axes, layers and curves."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QWidget

from agent.spectra.spectrum import Window
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.base.theme.theme import Theme
from app.ui.base.translation.data_texts import task_text
from app.ui.judge.plot.axes.flux_range import ABOVE, BELOW, flux_range
from app.ui.judge.plot.axes.titles import BadgeLayer
from app.ui.judge.plot.canvas.axes import FluxAxis, Frame, WavelengthAxis
from app.ui.judge.plot.canvas.curve import EMPTY, NO_LIMITS, Curve
from app.ui.judge.plot.canvas.layers import BreakLayer, Grid, LookLayer
from app.ui.judge.plot.canvas.paint import TextCache
from app.ui.judge.plot.canvas.plot_box import PlotBox, Scale, prepare_view
from app.ui.judge.plot.marks import ROWS, Extents, MarksLayer
from app.ui.judge.plot.marks import TOP_PX as NAMES_TOP_PX
from app.ui.judge.plot.measured_layer import MeasuredLayer
from app.ui.judge.plot.shades import ErrorBand, Shades, band_columns
from app.ui.judge.plot.trace import Trace

RIGHT_PX, TOP_PX = 8.0, 4.0
WHEEL_ZOOM = 1.0016  # zoom factor per unit of the wheel; one notch is 120 units
WHEEL_PAN = 0.05  # fraction of the window per notch of a horizontal wheel
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
FLUX_AXIS = 1
MOST_NAMES = 0.35  # of the height of the plot, at most, is kept free of the flux for names


class PlotView(pg.PlotWidget):  # type: ignore[misc]
    painted = Signal(int)
    """Id of the candidate whose spectrum was drawn on the screen, once for each."""
    laid_out = Signal()  # the stage was moved or resized

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
        self.badges, self.breaks = BadgeLayer(*shared), BreakLayer(*shared)
        self.trace: Trace | None = None
        self.from_zero = False  # whether the flux range includes zero
        self._candidate_id: int | None = None
        stage.geometryChanged.connect(self.laid_out)
        self._fit_font()

    def show_trace(self, trace: Trace | None, candidate_id: int | None = None) -> None:
        """Draw another spectrum, or the same one with another smoothing."""
        self.trace, self._candidate_id = trace, candidate_id
        self.measured.trace = self.errors.trace = trace
        self.stage.show_gaps(() if trace is None else trace.gaps)
        self.shades.bad = () if trace is None else trace.bad
        if trace is None:
            for curve in (self.curve, self.raw):
                curve.show_data(EMPTY, EMPTY)
        else:
            self.curve.show_data(trace.wavelength, trace.on_axis(trace.flux), trace.curves)
            wavelength, raw = trace.underlay
            self.raw.show_data(wavelength, trace.on_axis(raw))
        self.viewport().update()

    def show_range(self, window: Window, *, autoscale: bool) -> None:
        _, flux = self.stage.ranges
        if autoscale and self.trace is not None:
            flux = self._below_names(flux_range(self.trace, window, self.from_zero))
        self.stage.show_range(window, flux)

    def prepare(
        self, trace: Trace, window: Window, window_sizes: Mapping[Window, tuple[float, float]]
    ) -> None:
        """Compute ahead what takes longest of painting another object.

        `window_sizes` are the widths and heights, in dots of the screen, of the small windows.
        """
        for each, size_in_dots in window_sizes.items():
            trace.polylines(Scale(*each, *flux_range(trace, each, self.from_zero), *size_in_dots))
        if trace.gaps or self.stage.gaps:
            return  # as axes with breaks are rare, and ask the box
        flux = self._below_names(flux_range(trace, window, self.from_zero))
        size, dots = self.stage.size(), self.devicePixelRatioF()
        scale = Scale(*window, *flux, size.width(), size.height())
        self.marks.placed_for(scale)
        self.wavelength_axis.content_for(*window)
        self.flux_axis.content_for(*flux)
        shown = trace.wavelength, trace.on_axis(trace.flux), trace.curves
        self.curve.shape_at(*shown, NO_LIMITS, scale, dots)
        if trace.error is not None:
            band_columns(trace, scale, dots)

    def _below_names(self, flux: Window) -> Window:
        """Extend a flux range upwards, where the names of lines need more than its margin."""
        low, high = flux
        if not (self.marks.isVisible() and self.marks.has_names):
            return flux
        highest = high - (high - low) * ABOVE / (1.0 + ABOVE + BELOW)
        share = (NAMES_TOP_PX + (ROWS + 0.1) * self.texts.height) / max(
            self.stage.rect().height(), 1.0
        )
        return low, max(high, low + (highest - low) / (1.0 - min(share, MOST_NAMES)))

    def show_flux(self, low: float, high: float) -> None:
        if high - low > 1e-9 * max(abs(low), abs(high)):
            self.stage.show_range(self.stage.ranges[0], (low, high))

    def show_axes(self, x: str, y: str, frame: WavelengthFrame) -> None:
        self.wavelength_axis.title, self.flux_axis.title = x, y
        self.wavelength_axis.frame = frame
        self.flux_axis.is_log = self.trace is not None and self.trace.is_log
        self.viewport().update()

    def show_look(self, window: Window | None, label: str = "") -> None:
        self.look.look, self.look.label = window, task_text(label)
        self.viewport().update()

    def apply_theme(self, theme: Theme) -> None:
        self.theme, self.frame.colour = theme, theme.axis
        self.setBackground(theme.plot)
        layers = self.grid, self.shades, self.errors, self.marks, self.look, self.measured
        axes, curves = (self.wavelength_axis, self.flux_axis), (self.raw, self.curve, self.template)
        for item in (*layers, self.extents, self.badges, self.breaks, *axes, *curves):
            item.theme = theme
        self.viewport().update()

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
        is_on_screen = self.isVisible() and not self.window().isMinimized()
        if candidate_id is not None and self.curve.was_painted and is_on_screen:
            self._candidate_id = None
            self.painted.emit(candidate_id)

    def _fit_font(self) -> None:
        self.texts.set_font(self.font())
        self.marks.clear_placed()
        for axis in (self.wavelength_axis, self.flux_axis):
            axis.fit_font()
        self.getPlotItem().layout.activate()
        self.viewport().update()


# Mouse control of the plot. Dragging pans, the wheel zooms at the cursor (with Ctrl or over the
# flux axis the flux), a right or Shift drag zooms to a box, a Ctrl drag chooses two points of the
# continuum.
@dataclass(frozen=True)
class Drag:
    start: QPointF
    scale: Scale  # the scale when the drag began
    kind: Literal["pan", "box", "measure"]


class SpectrumViewBox(PlotBox):
    range_requested = Signal(float, float)  # a window, by panning or zooming
    range_drawn = Signal(float, float)  # the window of a zoom box, when the mouse is released
    box_changed = Signal(object)  # the window of the zoom box while it is dragged, then None
    flux_requested = Signal(float, float)
    measure_changed = Signal(object)  # the two wavelengths while they are dragged, then None
    measure_drawn = Signal(float, float)
    menu_requested = Signal(float)  # wavelength

    def __init__(self) -> None:
        super().__init__()
        self._drag: Drag | None = None
        self._held = Qt.KeyboardModifier.NoModifier

    def mousePressEvent(self, event: Any) -> None:
        """Note which keys are held: pyqtgraph's drags know only what is held later."""
        self._held = event.modifiers()
        event.ignore()

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        if axis is not None or event.button() not in (LEFT, RIGHT):
            event.ignore()
            return
        event.accept()
        if event.isStart():
            kind = self._kind(event.button())
            self._drag = Drag(QPointF(event.buttonDownPos()), self.scale_now, kind)
        if self._drag is None:
            return
        drag, at = self._drag, QPointF(event.pos())
        if event.isFinish():
            self._drag = None
        if drag.kind == "pan":
            shift = (drag.start.x() - at.x()) * drag.scale.per_pixel
            self.range_requested.emit(drag.scale.lo + shift, drag.scale.hi + shift)
            return
        is_box = drag.kind == "box"
        changed = self.box_changed if is_box else self.measure_changed
        changed.emit(None if event.isFinish() else _box(drag, at))
        if event.isFinish():
            (self.range_drawn if is_box else self.measure_drawn).emit(*_box(drag, at))

    def _kind(self, button: Qt.MouseButton) -> Literal["pan", "box", "measure"]:
        if button == LEFT and self._held & Qt.KeyboardModifier.ControlModifier:
            return "measure"
        is_box = button == RIGHT or self._held & Qt.KeyboardModifier.ShiftModifier
        return "box" if is_box else "pan"

    def mouseClickEvent(self, event: Any) -> None:
        at = self.mapFromScene(event.scenePos())
        if event.button() == RIGHT and self.rect().contains(at):
            event.accept()
            self.menu_requested.emit(self.scale_now.wavelength(at.x()))
        else:
            super().mouseClickEvent(event)

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:
        """Zoom or pan; an axis passes on what happens over it, with its number."""
        event.accept()
        at, turn, scale = self.mapFromScene(event.scenePos()), event.delta(), self.scale_now
        factor = WHEEL_ZOOM**-turn
        with_ctrl = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.orientation() == Qt.Orientation.Horizontal:
            step = -turn / 120.0 * WHEEL_PAN * (scale.hi - scale.lo)
            self.range_requested.emit(scale.lo + step, scale.hi + step)
        elif with_ctrl or axis == FLUX_AXIS:
            level = scale.flux(at.y())
            ends = (level + (end - level) * factor for end in (scale.bottom, scale.top))
            self.flux_requested.emit(*ends)
        else:
            centre = scale.wavelength(at.x())
            ends = (centre + (end - centre) * factor for end in (scale.lo, scale.hi))
            self.range_requested.emit(*ends)


def _box(drag: Drag, at: QPointF) -> Window:
    ends = sorted(drag.scale.wavelength(end.x()) for end in (drag.start, at))
    return ends[0], ends[1]
