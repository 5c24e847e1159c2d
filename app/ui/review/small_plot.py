"""The spectrum of a dispute, small: flux alone, and where the agent looked."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal
from PySide6.QtGui import QColor

from agent.spectra.smoothing import smooth_gaussian
from agent.spectra.spectrum import Spectrum
from app.core.report.evidence import KeyLook
from app.ui.review.figures import Figure
from app.ui.theme.theme import CurrentTheme
from app.ui.translation.text_pairs import task_words

SMOOTH_PX = 3.0
HEIGHT = 240
CLIP = (0.5, 99.7)
"""Per cent of the pixels: a single spike must not flatten the rest."""


class SmallPlot(Figure):
    painted = Signal(int)
    """The spectrum of that candidate has been on screen."""

    def __init__(self, current_theme: CurrentTheme, name: str) -> None:
        super().__init__(current_theme, name)
        self._of: int | None = None
        self._is_told = True
        self.setMinimumHeight(HEIGHT)
        self.viewport().installEventFilter(self)

    def show_spectrum(self, candidate_id: int, spectrum: Spectrum, look: KeyLook | None) -> None:
        is_same = candidate_id == self._of
        self._of, self._is_told = candidate_id, is_same and self._is_told
        self.draw(_draw_spectrum, spectrum, look)
        self.viewport().update()

    def show_nothing(self) -> None:
        self._of, self._is_told = None, True
        self.draw(_draw_nothing)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What is painted now is on screen when the event loop comes round."""
        if event.type() == QEvent.Type.Paint and not self._is_told and self._of is not None:
            self._is_told = True
            self.painted.emit(self._of)
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
        figure.put(region)
        _name_look(figure, look, float(high + room), spectrum.range)
    figure.put(
        pg.PlotDataItem(
            spectrum.wavelength,
            flux,
            pen=pg.mkPen(figure.theme.flux),
            connect="finite",
            autoDownsample=True,
        )
    )
    item, translate = figure.getPlotItem(), QCoreApplication.translate
    wavelength = translate("SpectrumPanel", "Wavelength (Å, vacuum)")
    item.setLabel("bottom", wavelength, color=figure.theme.dim)
    item.setLabel("left", translate("SpectrumPanel", "Relative flux"), color=figure.theme.dim)
    figure.ranges(*spectrum.range, float(low - room), float(high + room))


def _name_look(figure: Figure, look: KeyLook, top: float, span: tuple[float, float]) -> None:
    """Above the region, on the side where there is more room."""
    is_left = look.range[0] > (span[0] + span[1]) / 2.0
    words = QCoreApplication.translate("SmallPlot", "Agent: {label}")
    words = words.replace("{label}", task_words(look.label))
    item = pg.TextItem(words, color=figure.theme.text, anchor=(1.0 if is_left else 0.0, 0.0))
    item.setPos(look.range[0 if is_left else 1], top)
    figure.put(item)


def _draw_nothing(figure: Figure) -> None:
    for side in ("bottom", "left"):
        figure.getPlotItem().setLabel(side, "")
