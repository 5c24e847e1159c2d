"""The strip below the plot: the whole spectrum, with a region to drag for the current window."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from agent.spectra.spectrum import Window
from agent.tasks.task import Task
from agent.trajectory.trajectory import Trajectory
from app.ui.base.theme.theme import Theme
from app.ui.base.translation.data_texts import task_text
from app.ui.judge.plot.axes.flux_range import flux_range
from app.ui.judge.plot.canvas.axes import Frame
from app.ui.judge.plot.canvas.curve import EMPTY, Curve
from app.ui.judge.plot.canvas.layers import Layer
from app.ui.judge.plot.canvas.paint import TextCache, blend, hairline
from app.ui.judge.plot.canvas.plot_box import PlotBox, Scale, prepare_view
from app.ui.judge.plot.trace import Trace

TOP_PX, FOOT_PX = 15.0, 12.0  # room for the task's windows (above) and the agent's (below)
BAR_PX = 10.0
BAR_ALPHA = "#46"
LABEL_LENGTH = 60


@dataclass(frozen=True)
class Bracket:
    """A window marked in the strip, with a short name and a longer one for the tooltip."""

    range: Window
    name: str
    tooltip: str


class BracketLayer(Layer):
    depth = -10
    task_windows: Sequence[Bracket] = ()
    agent_windows: Sequence[Bracket] = ()

    @property
    def extra(self) -> float:
        """Height by which each row of windows is higher than for usual text."""
        return max(self.texts.height - TOP_PX, 0.0)

    def draw(self, painter: QPainter) -> None:
        foot = self.box.scale_now.height - FOOT_PX - 0.5 * self.extra
        self._draw(painter, self.task_windows, 2.0 + 0.5 * self.extra, self.theme.accent)
        self._draw(painter, self.agent_windows, foot, self.theme.agent)

    def _draw(
        self, painter: QPainter, brackets: Sequence[Bracket], top: float, colour: str
    ) -> None:
        """Draw each window as a bar with its name, unless that would overlap the previous name.

        A bar narrower than its name has no edges, because they would cross the text.
        """
        # #rrggbb or #aarrggbb: its own alpha is put aside. Blended, as opaque is painted faster.
        bar = blend(BAR_ALPHA + colour[-6:], self.theme.plot)
        scale, end = self.box.scale_now, -1e9
        seen: list[tuple[str, float, float]] = []
        for each in sorted(brackets, key=lambda bracket: bracket.range):
            left, right = (min(max(scale.x(edge), 0.0), scale.width) for edge in each.range)
            if right - left >= 1.0:
                seen.append((each.name, left, right))
        for _, left, right in seen:  # all bars first: none covers the name of another
            painter.fillRect(QRectF(left, top, max(right - left, 3.0), BAR_PX), bar)
        for name, left, right in seen:
            middle, width = 0.5 * (left + right), self.texts.width(name)
            is_named = middle - 0.5 * width > end + 2.0
            if right - left > width or not is_named:
                painter.setPen(hairline(painter, colour))
                painter.drawLines([QLineF(x, top, x, top + BAR_PX) for x in (left, right)])
            if is_named:
                painter.setPen(QColor(self.theme.text))
                y = top + 0.5 * (BAR_PX - self.texts.height)
                self.texts.draw(painter, middle, y, name, 0.5)
                end = middle + 0.5 * width


# The windows marked in the minimap: the task's, and those the agent looked at.
def task_brackets(task: Task, z: float) -> tuple[Bracket, ...]:
    """The task's diagnostic windows, named by their keys and shifted by the redshift."""
    windows = task.windows
    return tuple(_bracket(each.range, 1.0 + z, each.key, task_text(each.label)) for each in windows)


def agent_brackets(trajectory: Trajectory | None) -> tuple[Bracket, ...]:
    """The windows the agent looked at, numbered in that order."""
    if trajectory is None:
        return ()
    shift = 1.0 + (trajectory.spectrum.z or 0.0)
    brackets = []
    for number, look in enumerate(trajectory.looks, 1):
        if look.range is not None:
            label = task_text(" ".join(look.label.split()))[:LABEL_LENGTH]
            brackets.append(_bracket(look.range, shift, str(number), label))
    return tuple(brackets)


def _bracket(window: Window, shift: float, name: str, about: str) -> Bracket:
    return Bracket((window[0] * shift, window[1] * shift), name, f"{name}: {about}")


HEIGHT = 40
GRIP_PX = 9.0
MIN_REGION_PX = 4.0


class StripBox(PlotBox):
    """The box of the strip, for the mouse beside the region."""

    dragged = Signal(float, float, bool)
    """Wavelengths where a drag began and where it is, and whether it has just begun."""
    dropped = Signal()

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        event.accept()
        if event.button() == Qt.MouseButton.LeftButton:
            wavelength = self.scale_now.wavelength
            start, now = wavelength(event.buttonDownPos().x()), wavelength(event.pos().x())
            self.dragged.emit(start, now, event.isStart())
            if event.isFinish():
                self.dropped.emit()


class Minimap(pg.GraphicsView):  # type: ignore[misc]
    """Drag the region or its edges, click elsewhere to centre it, double-click to show all."""

    range_requested = Signal(float, float)  # the window, repeatedly while it is dragged
    released = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=theme.plot)
        prepare_view(self)
        self.theme, self.texts = theme, TextCache(QFont())
        self.box = StripBox()
        self.centralLayout.addItem(self.box, 0, 0)
        self.frame = Frame(self.box, theme.border)
        self.curve = Curve(self.box, theme)
        self.brackets = BracketLayer(self.box, theme, self.texts)
        self.region = pg.LinearRegionItem(swapMode="block")
        self.region.setZValue(15)
        self.region.setCursor(Qt.CursorShape.SizeAllCursor)
        for line in self.region.lines:
            line.addMarker("o", size=GRIP_PX)
            line.setCursor(Qt.CursorShape.SizeHorCursor)
        self.box.addItem(self.region, ignoreBounds=True)
        self.window_now: Window | None = None
        self._trace: Trace | None = None
        self._grabbed: Window | None = None
        self._is_set_here = False
        self._fit_font()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self.tr("Overview of the whole spectrum"))
        self.region.sigRegionChanged.connect(self._region_dragged)
        self.region.sigRegionChangeFinished.connect(self._region_dropped)
        self.box.clicked.connect(self._centre_on)
        self.box.hovered.connect(self._show_tooltip)
        self.box.dragged.connect(self._drag_beside)
        self.box.dropped.connect(self.released)
        self.align(0.0, 0.0)
        self.apply_theme(theme)
        self.show_window(None)

    def show_trace(self, trace: Trace | None) -> None:
        """Draw a spectrum between the rows of the task's and the agent's windows."""
        self._trace = trace
        self.brackets.setVisible(trace is not None)
        if trace is None:
            self.curve.show_data(EMPTY, EMPTY)
        else:
            limits, flux = self._between_rows(trace)
            self.box.show_range(trace.range, flux)
            shown = trace.wavelength, trace.on_axis(trace.flux), trace.curves
            self.curve.show_data(*shown, limits)
        self.show_window(self.window_now)

    def prepare(self, trace: Trace) -> None:
        """Compute ahead what is painted of another object."""
        limits, flux = self._between_rows(trace)
        size = self.box.size()
        scale = Scale(*trace.range, *flux, size.width(), size.height())
        shown = trace.wavelength, trace.on_axis(trace.flux), trace.curves
        self.curve.shape_at(*shown, limits, scale, self.devicePixelRatioF())

    def _between_rows(self, trace: Trace) -> tuple[Window, Window]:
        """The range of the fluxes, and that of the box."""
        # With the arguments of the plot, whose answer is kept.
        low, high = flux_range(trace, trace.range, False)
        top, foot = (each + self.brackets.extra for each in (TOP_PX, FOOT_PX))
        per_pixel = (high - low) / (HEIGHT - TOP_PX - FOOT_PX)
        return (low, high), (low - foot * per_pixel, high + top * per_pixel)

    def shows_quantity_of(self, trace: Trace) -> bool:
        """Whether its curve has the flux axis of this trace."""
        own = self._trace
        return own is not None and (own.quantity, own.is_log) == (trace.quantity, trace.is_log)

    def show_window(self, window: Window | None) -> None:
        self.window_now = window
        self.region.setVisible(window is not None and self._trace is not None)
        if window is not None:
            self._is_set_here = True
            self.region.setRegion(window)
            self._is_set_here = False

    def show_task_windows(self, brackets: Sequence[Bracket]) -> None:
        if brackets != self.brackets.task_windows:
            self.brackets.task_windows = brackets
            self.viewport().update()

    def show_agent_windows(self, brackets: Sequence[Bracket]) -> None:
        if brackets != self.brackets.agent_windows:
            self.brackets.agent_windows = brackets
            self.viewport().update()

    def align(self, left: float, right: float) -> None:
        """Use the plot's left and right margins (pixels), so that wavelengths line up with it."""
        self.centralLayout.setContentsMargins(left, 1.0, right, 1.0)
        self.centralLayout.activate()

    def apply_theme(self, theme: Theme) -> None:
        self.theme, self.frame.colour = theme, theme.border
        self.curve.theme = self.brackets.theme = theme
        self.setBackground(theme.plot)
        self.region.setBrush(QColor(theme.window_region))
        self.region.setHoverBrush(QColor(theme.window_region))
        for line in self.region.lines:
            line.setPen(QColor(theme.accent))
            line.setHoverPen(QColor(theme.accent), width=2)
        self.viewport().update()

    def scale(self) -> Scale | None:
        """The wavelength scale inside the margins; None while there is nothing to show."""
        return None if self._trace is None else self.box.scale_now

    def _region_dragged(self) -> None:
        scale = self.scale()
        if self._is_set_here or scale is None:
            return
        lo, hi = self.region.getRegion()
        least = MIN_REGION_PX * scale.per_pixel
        if hi - lo < least:
            # The edge that is being dragged stops before the other.
            is_left = self.window_now is not None and abs(hi - self.window_now[1]) < 0.5 * least
            lo, hi = (hi - least, hi) if is_left else (lo, lo + least)
        self.range_requested.emit(lo, hi)

    def _region_dropped(self) -> None:
        if not self._is_set_here:
            self._region_dragged()
            self.released.emit()

    def _drag_beside(self, start: float, now: float, is_start: bool) -> None:
        """Draw a new region, or centre the one there is and take it along."""
        scale = self.scale()
        if scale is None:
            return
        if is_start:
            self._grabbed = self.window_now and _centred(self.window_now, start)
        if self._grabbed is not None:
            lo, hi = self._grabbed
            self.range_requested.emit(lo + now - start, hi + now - start)
        elif abs(now - start) >= MIN_REGION_PX * scale.per_pixel:
            self.range_requested.emit(min(start, now), max(start, now))

    def _centre_on(self, wavelength: float) -> None:
        if self.scale() is not None and self.window_now is not None:
            self.range_requested.emit(*_centred(self.window_now, wavelength))
            self.released.emit()

    def _show_tooltip(self, at: QPointF | None) -> None:
        if at is not None:
            self.setToolTip(self.tooltip_at(float(self.box.geometry().left()) + at.x()))

    def tooltip_at(self, x: float) -> str:
        scale = self.scale()
        left = float(self.box.geometry().left())
        wavelength = 0.0 if scale is None else scale.wavelength(x - left)
        brackets = (*self.brackets.task_windows, *self.brackets.agent_windows)
        inside = [each for each in brackets if each.range[0] <= wavelength <= each.range[1]]
        return ", ".join(each.tooltip for each in inside)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # Qt may send events from the base constructor.
        if event.type() == QEvent.Type.FontChange and hasattr(self, "texts"):
            self.texts.set_font(self.font())
            self._fit_font()
            self.show_trace(self._trace)
            self.viewport().update()

    def _fit_font(self) -> None:
        self.setFixedHeight(HEIGHT + round(2.0 * self.brackets.extra))


def _centred(window: Window, wavelength: float) -> Window:
    half = 0.5 * (window[1] - window[0])
    return wavelength - half, wavelength + half
