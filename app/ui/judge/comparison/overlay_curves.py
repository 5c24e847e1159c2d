"""Draws the compared spectra over the current one, each at the same median, with a legend."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QGraphicsSceneMouseEvent

from agent.spectra.spectrum import Spectrum, Window
from app.ui.base.theme.theme import Theme, mixed
from app.ui.judge.comparison.compared_spectra import Compared, ComparedSpectra
from app.ui.judge.plot.axes.flux_range import overlaps
from app.ui.judge.plot.canvas.curve import EMPTY, Curve, visible
from app.ui.judge.plot.canvas.layers import Layer
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.judge.plot.trace import AskedTrace, Trace, asked_trace, takes_long, trace
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import one_line

PAD, SWATCH_PX, GAP, CROSS_PX = 6.0, 18.0, 6.0, 16.0
MARGIN_PX, TOP_PX = 8.0, 40.0  # from the edges of the plot; the names of lines are above it
MAX_NAME = 26
ALPHA = 225


class Legend(Layer):
    """A click on a line of it hides that spectrum, or takes it away."""

    depth = 30.0

    toggled = Signal(int)  # id of the candidate
    removed = Signal(int)

    def __init__(self, *shared: object) -> None:
        self.compared: Sequence[Compared] = ()
        super().__init__(*shared)  # type: ignore[arg-type]
        # An item that takes the press gets the click, and pyqtgraph starts no drag.
        self.setAcceptedMouseButtons(Qt.MouseButton.LeftButton)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_compared(self, compared: Sequence[Compared]) -> None:
        self.prepareGeometryChange()
        self.compared = compared
        self.setVisible(bool(compared))
        self.update()

    def boundingRect(self) -> QRectF:
        """Only the box of the legend, so that clicks beside it are the plot's."""
        width = max(map(self._width, self.compared), default=0.0)
        height = len(self.compared) * self._step + 2.0 * PAD if self.compared else 0.0
        right = self.box.rect().width() - MARGIN_PX
        return QRectF(right - width, TOP_PX, width, height)

    def row_rect(self, number: int) -> QRectF:
        frame = self.boundingRect()
        top = frame.top() + PAD + number * self._step
        return QRectF(frame.left() + PAD, top, frame.width() - 2.0 * PAD, self._step)

    def cross_rect(self, number: int) -> QRectF:
        row = self.row_rect(number)
        return QRectF(row.right() - CROSS_PX, row.top(), CROSS_PX, row.height())

    @property
    def _step(self) -> float:
        return self.texts.height + 2.0

    def _width(self, each: Compared) -> float:
        return 2.0 * PAD + SWATCH_PX + GAP + self.texts.width(text_of(each)) + GAP + CROSS_PX

    def draw(self, painter: QPainter) -> None:
        if not self.compared:
            return
        back = QColor(self.theme.plot)
        back.setAlpha(ALPHA)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self.theme.border), 1.0))
        painter.setBrush(back)
        painter.drawRoundedRect(self.boundingRect().adjusted(0.5, 0.5, -0.5, -0.5), 4.0, 4.0)
        for number, each in enumerate(self.compared):
            self._paint_row(painter, number, each)

    def _paint_row(self, painter: QPainter, number: int, each: Compared) -> None:
        row, cross = self.row_rect(number), self.cross_rect(number)
        middle = row.center().y()
        colour = getattr(self.theme, f"overlay_{each.slot + 1}")
        ink = self.theme.text if each.is_shown else mixed(self.theme.dim, self.theme.plot, 0.3)
        style = Qt.PenStyle.SolidLine if each.is_shown else Qt.PenStyle.DotLine
        painter.setPen(QPen(QColor(colour), 2.0, style))
        painter.drawLine(QPointF(row.left(), middle), QPointF(row.left() + SWATCH_PX, middle))
        painter.setPen(QColor(ink))
        left = row.left() + SWATCH_PX + GAP
        self.texts.draw(painter, left, middle - 0.5 * self.texts.height, text_of(each))
        painter.setPen(QColor(self.theme.dim))
        self.texts.draw(painter, cross.center().x(), middle - 0.5 * self.texts.height, "×", 0.5)

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        at = event.pos()
        for number, each in enumerate(self.compared):
            if self.row_rect(number).contains(at):
                is_cross = self.cross_rect(number).contains(at)
                (self.removed if is_cross else self.toggled).emit(each.candidate.id)
                return


def text_of(each: Compared) -> str:
    """The facts of a compared spectrum, after its name."""
    return " · ".join((one_line(each.candidate.name, MAX_NAME), *map(one_line, each.facts)))


WIDTH_PX = 1.0
ROLES = tuple(f"overlay_{number}" for number in range(1, 7))  # colours of the theme, by slot


class OverlayCurves(QObject):
    def __init__(
        self, comparison: ComparedSpectra, panel: SpectrumPanel, context: SessionContext
    ) -> None:
        super().__init__(panel)
        self._comparison, self._panel, self._view = comparison, panel, context.view
        self._runner, self._theme = context.runner, context.current_theme
        self._curves: dict[int, Curve] = {}
        self._traces: dict[int, Trace] = {}
        """Prepared spectra by candidate, as the options ask for them now."""
        self._asked: AskedTrace = asked_trace(context.view.options)
        self.legend: Legend | None = None
        comparison.changed.connect(self._compared_changed)
        context.view.changed.connect(self._options_changed)
        context.view.window_changed.connect(self.draw)
        context.current.spectrum_changed.connect(self.draw)
        panel.drawn_later.connect(self.draw)
        context.current_theme.changed.connect(self._restyle)

    def draw(self, *_: object) -> None:
        """Draw them as the spectrum on screen is drawn now: nothing to do without any."""
        if not self._curves and not self._comparison.compared:
            return
        drawn = {each.slot: each for each in self._comparison.shown}
        for slot in {*self._curves, *drawn}:
            self._draw(slot, drawn.get(slot))
        if self.legend is not None:
            self.legend.show_compared(self._comparison.compared)
        self._panel.plot.viewport().update()

    def _draw(self, slot: int, each: Compared | None) -> None:
        curve, main = self._curves.get(slot), self._panel.plot.trace
        other = None if each is None else self._prepared(each)
        factor = np.nan
        # A file whose unit does not tell what its flux is stays as it is: no curve beside others.
        if main is not None and other is not None and main.quantity == other.quantity:
            factor = same_median(main, other, self._view.window)
        if curve is None and other is None:
            return
        if curve is None:
            curve = self._curves[slot] = self._new_curve(slot)
        if other is None or not np.isfinite(factor):
            curve.show_data(EMPTY, EMPTY)
        else:
            curve.show_data(other.wavelength, other.on_axis(factor * other.flux))

    def _new_curve(self, slot: int) -> Curve:
        plot = self._panel.plot
        depth = 3.0 + 0.1 * slot  # over the spectrum, below the template
        curve = Curve(plot.stage, plot.theme, role=ROLES[slot], depth=depth, width_px=WIDTH_PX)
        if self.legend is None:
            self.legend = Legend(plot.stage, plot.theme, plot.texts)
            self.legend.toggled.connect(self._comparison.toggle)
            self.legend.removed.connect(self._comparison.remove)
        return curve

    def _prepared(self, each: Compared) -> Trace | None:
        """The trace of a compared spectrum; None while it is being prepared."""
        known = self._traces.get(each.candidate.id)
        if known is None and not takes_long(each.spectrum, *self._asked):
            known = self._traces[each.candidate.id] = trace(each.spectrum, *self._asked)
        if known is not None:
            return known
        work = partial(trace, each.spectrum, *self._asked)
        done = partial(self._prepared_later, each.candidate.id, each.spectrum, self._asked)
        self._runner.run(work, done, owner=self)
        return None

    def _prepared_later(
        self, candidate_id: int, spectrum: Spectrum, asked: AskedTrace, made: Trace
    ) -> None:
        is_there = any(each.spectrum is spectrum for each in self._comparison.compared)
        if is_there and asked == self._asked:
            self._traces[candidate_id] = made
            self.draw()

    def _compared_changed(self) -> None:
        there = {each.candidate.id for each in self._comparison.compared}
        self._traces = {key: made for key, made in self._traces.items() if key in there}
        self.draw()

    def _options_changed(self, _: frozenset[str]) -> None:
        asked = asked_trace(self._view.options)
        if asked != self._asked:
            self._asked = asked
            self._traces.clear()
        self.draw()

    def _restyle(self, theme: Theme) -> None:
        for curve in self._curves.values():
            curve.theme = theme
        if self.legend is not None:
            self.legend.theme = theme
        self._panel.plot.viewport().update()


def same_median(main: Trace, other: Trace, window: Window | None) -> float:
    """The factor that brings a trace to the median of the main one; NaN where they do not meet.

    It is that of the window on screen, of all that they share where one has no flux there.
    """
    shared = max(main.range[0], other.range[0]), min(main.range[1], other.range[1])
    if window is not None and overlaps(window, shared):
        inside = max(window[0], shared[0]), min(window[1], shared[1])
        factor = _ratio_of_medians(main, other, inside)
        if np.isfinite(factor):
            return factor
    return _ratio_of_medians(main, other, shared)


def _ratio_of_medians(main: Trace, other: Trace, window: Window) -> float:
    medians = []
    for each in (main, other):
        flux = each.flux[visible(each.wavelength, *window)]
        flux = flux[np.isfinite(flux)]
        medians.append(float(np.median(flux)) if flux.size else 0.0)
    mine, its = medians
    return mine / its if mine > 0 and its > 0 else np.nan
