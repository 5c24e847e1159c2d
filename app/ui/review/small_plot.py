"""A small plot of a disputed spectrum: the flux, and the window the agent looked at."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal
from PySide6.QtGui import QColor

from agent.spectra.gaps import GAP, with_gaps
from agent.spectra.smoothing import smooth_gaussian
from agent.spectra.spectrum import Spectrum, Window
from app.core.report.evidence import KeyLook
from app.ui.review.figures import Figure
from app.ui.theme.theme import CurrentTheme
from app.ui.translation.data_texts import task_text

SMOOTH_PX = 3.0
HEIGHT = 240
CLIP = (0.5, 99.7)
"""Percentiles of the flux that set its range, so that a single spike does not."""


class SmallPlot(Figure):
    painted = Signal(int)
    """Id of the candidate whose spectrum was drawn on the screen."""

    def __init__(self, current_theme: CurrentTheme, name: str) -> None:
        super().__init__(current_theme, name)
        self._candidate_id: int | None = None
        self._is_reported = True
        self.setMinimumHeight(HEIGHT)
        self.viewport().installEventFilter(self)

    def show_spectrum(self, candidate_id: int, spectrum: Spectrum, look: KeyLook | None) -> None:
        is_same = candidate_id == self._candidate_id
        self._candidate_id, self._is_reported = candidate_id, is_same and self._is_reported
        self.draw(_draw_spectrum, spectrum, look)
        self.viewport().update()

    def show_nothing(self) -> None:
        self._candidate_id, self._is_reported = None, True
        self.draw(_draw_nothing)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Report the first paint; it is on screen by the next turn of the event loop."""
        is_paint = event.type() == QEvent.Type.Paint
        if is_paint and not self._is_reported and self._candidate_id is not None:
            self._is_reported = True
            self.painted.emit(self._candidate_id)
        return bool(super().eventFilter(watched, event))


def _draw_spectrum(figure: Figure, spectrum: Spectrum, look: KeyLook | None) -> None:
    flux = smooth_gaussian(spectrum.flux, spectrum.good, SMOOTH_PX)
    known = flux[np.isfinite(flux)]
    low, high = np.percentile(known, CLIP) if known.size else (0.0, 1.0)
    room = 0.08 * (high - low) or 1.0
    if look is not None:
        colour = QColor(figure.theme.agent)
        colour.setAlpha(50)
        region = pg.LinearRegionItem(look.range, movable=False, brush=colour, pen=pg.mkPen(None))
        figure.add(region)
        _name_look(figure, look, float(high + room), spectrum.range)
    wavelength, flux = with_gaps(spectrum.wavelength, GAP, flux)
    figure.add(
        pg.PlotDataItem(
            wavelength,
            flux,
            pen=pg.mkPen(figure.theme.flux),
            connect="finite",
            autoDownsample=True,
        )
    )
    item, translate = figure.getPlotItem(), QCoreApplication.translate
    name = translate("SpectrumPanel", "Wavelength (Å, vacuum)")
    item.setLabel("bottom", name, color=figure.theme.dim)
    item.setLabel("left", translate("SpectrumPanel", "Relative flux"), color=figure.theme.dim)
    figure.set_ranges(*spectrum.range, float(low - room), float(high + room))


def _name_look(figure: Figure, look: KeyLook, top: float, span: Window) -> None:
    """Write the name beside the top of the region, on the side with more room."""
    is_left = look.range[0] > (span[0] + span[1]) / 2.0
    text = QCoreApplication.translate("SmallPlot", "Agent: {label}")
    text = text.replace("{label}", task_text(look.label))
    item = pg.TextItem(text, color=figure.theme.text, anchor=(1.0 if is_left else 0.0, 0.0))
    item.setPos(look.range[0 if is_left else 1], top)
    figure.add(item)


def _draw_nothing(figure: Figure) -> None:
    for side in ("bottom", "left"):
        figure.getPlotItem().setLabel(side, "")
