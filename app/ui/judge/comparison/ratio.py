"""A thin panel below the plot: the spectrum divided by another, or less another."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QLineF, QRectF, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from agent.spectra.gaps import GAP, with_gaps
from agent.spectra.rebinning import median_factor, ratio, resampled
from agent.spectra.smoothing import smooth_parts
from agent.spectra.spectrum import FloatArray, Spectrum, Window
from app.ui.base.theme.theme import Theme
from app.ui.judge.comparison.compared_spectra import ComparedSpectra
from app.ui.judge.plot.canvas.axes import FluxAxis, Frame
from app.ui.judge.plot.canvas.curve import EMPTY, Curve, visible
from app.ui.judge.plot.canvas.layers import Layer
from app.ui.judge.plot.canvas.paint import TextCache
from app.ui.judge.plot.canvas.plot_box import PlotBox, prepare_view
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.judge.plot.trace import Trace
from app.ui.session.session_context import SessionContext

OFF, RATIO, DIFFERENCE = "", "ratio", "difference"
HEIGHT_PX = 96
CENTRAL_PERCENT = 1.0, 99.0
MARGIN = 0.15


@dataclass(frozen=True, eq=False)
class Divided:
    """The ratio or the difference over wavelength, and what it is relative to."""

    wavelength: FloatArray
    values: FloatArray
    other: str
    level: float


class LevelLine(Layer):
    """A line where the two spectra are the same, and a sentence that says what is shown."""

    depth = 5.0  # above the curve, which often is where the sentence is
    level: float | None = None
    text = ""

    def draw(self, painter: QPainter) -> None:
        scale = self.box.scale_now
        if self.level is not None:
            y = scale.y(self.level)
            painter.setPen(QPen(QColor(self.theme.template), 1.0))
            painter.drawLine(QLineF(0.0, y, scale.width, y))
        room = QRectF(4.0, 1.0, self.texts.width(self.text) + 8.0, self.texts.height + 2.0)
        painter.fillRect(room, QColor(self.theme.plot))
        painter.setPen(QColor(self.theme.dim))
        self.texts.draw(painter, 8.0, 2.0, self.text)


class RatioPanel(pg.GraphicsView):  # type: ignore[misc]
    """Hidden, and without cost, until a mode is chosen."""

    mode_changed = Signal()

    def __init__(
        self, comparison: ComparedSpectra, panel: SpectrumPanel, context: SessionContext
    ) -> None:
        theme = context.current_theme.theme
        super().__init__(panel, background=theme.plot)
        prepare_view(self)
        self.mode = OFF
        self.divided: Divided | None = None
        self._divided_of: Spectrum | None = None
        self._comparison, self._panel = comparison, panel
        self._view, self._runner = context.view, context.runner
        self._wanted: object = None
        self.texts = TextCache(QFont())
        self.box = PlotBox()
        self.axis = FluxAxis(theme, self.texts)
        self.axis.linkToView(self.box)
        self.centralLayout.addItem(self.axis, 0, 0)
        self.centralLayout.addItem(self.box, 0, 1)
        self.centralLayout.setSpacing(0)
        self.frame = Frame(self.box, theme.axis)
        self.level = LevelLine(self.box, theme, self.texts)
        self.curve = Curve(self.box, theme, width_px=1.0)
        self.setFixedHeight(HEIGHT_PX)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Ratio or difference"))
        self.hide()
        drawn = context.current.spectrum_changed, context.view.changed, panel.template.changed
        for changed in (*drawn, comparison.changed, panel.drawn_later):
            changed.connect(self._schedule)
        context.view.window_changed.connect(self._show_window)
        context.current_theme.changed.connect(self._restyle)
        panel.plot.laid_out.connect(self._align)

    def set_mode(self, mode: str) -> None:
        if mode != self.mode:
            self.mode, self._wanted = mode, None
            self.setVisible(mode != OFF)
            self._align()
            self._schedule()
            self.mode_changed.emit()

    def _schedule(self, *_: object) -> None:
        if self.mode == OFF:
            return
        spectrum, main = self._panel.spectrum, self._panel.plot.trace
        first = next(iter(self._comparison.shown), None)
        before, self._wanted = self._wanted, None
        if spectrum is None or main is None:
            self._show(None)
        elif first is not None:
            key = spectrum, first.spectrum, self.mode, main.smoothing_px, main.quantity
            self._wanted = key
            if key != before:
                if self.divided is not None and self._divided_of is not spectrum:
                    self._show(None)  # what belongs to the object before goes at once
                name = first.candidate.name
                work = partial(divide, spectrum, first.spectrum, self.mode, main, name)
                self._runner.run(work, partial(self._divided, key), owner=self)
        elif self._panel.template.fits and self._panel.template.name:
            template = self._panel.template
            self._show(against_template(main, *template.curve, self.mode, template.name))
        else:
            self._show(None)

    def _divided(self, key: object, divided: Divided) -> None:
        if key == self._wanted and self.mode != OFF:
            self._show(divided)

    def _show(self, divided: Divided | None) -> None:
        self.divided, self._divided_of = divided, self._panel.spectrum
        if divided is None:
            self.curve.show_data(EMPTY, EMPTY)
            self.level.level = None
            self.level.text = self.tr("Overlay a spectrum or a template to compare with")
        else:
            self.curve.show_data(divided.wavelength, divided.values)
            self.level.level = divided.level
            text = self.tr("Divided by {name}") if self.mode == RATIO else self.tr("Less {name}")
            self.level.text = text.replace("{name}", divided.other[:60])
        self._show_window()

    def _show_window(self, *_: object) -> None:
        if self.mode == OFF:
            return
        window = self._panel.window_now
        self.box.show_gaps(self._panel.plot.stage.gaps)
        self.box.show_range(window, _extent(self.divided, window))
        self.viewport().update()

    def _align(self) -> None:
        """As wide as the plot above, so that wavelengths are below one another."""
        if self.mode == OFF:
            return
        stage = self._panel.plot.stage.geometry()
        right = self._panel.plot.width() - stage.right()
        self.axis.setWidth(round(stage.left()))
        self.centralLayout.setContentsMargins(0.0, 3.0, right, 3.0)
        self.centralLayout.activate()
        self._show_window()

    def _restyle(self, theme: Theme) -> None:
        self.setBackground(theme.plot)
        self.frame.colour = theme.axis
        for item in (self.axis, self.level, self.curve):
            item.theme = theme
        self.viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "texts"):
            self.texts.set_font(self.font())
            self.viewport().update()


def divide(spectrum: Spectrum, other: Spectrum, mode: str, main: Trace, name: str) -> Divided:
    """Compare with another spectrum on the pixels of the first, brought to the same median.

    A difference is in the quantity and unit of `main`, the first spectrum as drawn.
    """
    wavelength = spectrum.wavelength
    flux = np.where(spectrum.good, spectrum.flux, np.nan)
    its = resampled(other, wavelength)
    factor = median_factor(flux, its)
    if main.is_smoothed:
        width = main.smoothing_px
        flux, its = (smooth_parts(wavelength, each, None, width)[0] for each in (flux, its))
    if mode == RATIO:
        values = ratio(flux, factor * its)
    else:
        shown = 1.0 if main.conversion is None else np.interp(wavelength, *main.conversion)
        values = (flux - factor * its) * shown / main.unit
    wavelength, values = with_gaps(wavelength, GAP, values)
    return Divided(wavelength, values, name, 1.0 if mode == RATIO else 0.0)


def against_template(
    main: Trace, wavelength: FloatArray, flux: FloatArray, mode: str, name: str
) -> Divided:
    """Compare with the template as it is drawn."""
    model = np.interp(main.wavelength, wavelength, flux, left=np.nan, right=np.nan)
    if main.is_log:
        model = 10.0**model
    values = ratio(main.flux, model) if mode == RATIO else main.flux - model
    return Divided(main.wavelength, values, name, 1.0 if mode == RATIO else 0.0)


def _extent(divided: Divided | None, window: Window) -> Window:
    if divided is None:
        return 0.0, 2.0
    values = divided.values[visible(divided.wavelength, *window)]
    values = values[np.isfinite(values)]
    if not values.size:
        return divided.level - 1.0, divided.level + 1.0
    low, high = np.percentile(values, CENTRAL_PERCENT).tolist()
    low, high = min(low, divided.level), max(high, divided.level)
    margin = MARGIN * ((high - low) or 1.0)
    return low - margin, high + margin
