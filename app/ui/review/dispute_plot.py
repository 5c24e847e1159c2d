"""The spectrum of a dispute in the unit of the judging page, with zoom by wheel and drag."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QMouseEvent

from agent.spectra.spectrum import Spectrum
from app.core.report.evidence import KeyLook
from app.ui.plot.readout import flux_title
from app.ui.plot.trace import trace
from app.ui.review.small_plot import SmallPlot
from app.ui.theme.theme import CurrentTheme


class DisputePlot(SmallPlot):
    """The wheel zooms along the wavelengths, a drag moves, a double click shows all."""

    def __init__(self, current_theme: CurrentTheme, name: str) -> None:
        super().__init__(current_theme, name)
        self._spectrum: Spectrum | None = None
        self._title, self._unit = "", 1.0
        self._whole: tuple[list[float], list[float]] | None = None
        self.setMouseEnabled(x=True, y=False)
        self.setToolTip(
            QCoreApplication.translate(
                "DisputePlot", "Wheel zooms, drag moves, double click shows the whole spectrum"
            )
        )

    def show_spectrum(self, candidate_id: int, spectrum: Spectrum, look: KeyLook | None) -> None:
        is_other = spectrum is not self._spectrum
        seen = self.getViewBox().viewRange()
        if is_other:
            self._spectrum = spectrum
            exponent = trace(spectrum).exponent
            self._unit = 10.0**exponent
            self._title = _title(spectrum, exponent)
        self._whole = None  # so that the spectrum sets the ranges
        super().show_spectrum(candidate_id, spectrum, look)
        self._whole = self.getViewBox().viewRange()
        if not is_other:
            self._show_range(seen)  # more opinions came: the zoom stays

    def show_nothing(self) -> None:
        self._spectrum = self._whole = None
        self._title, self._unit = "", 1.0
        super().show_nothing()

    def show_all(self) -> None:
        if self._whole is not None:
            self._show_range(self._whole)

    def wheelEvent(self, event: Any) -> None:
        pg.PlotWidget.wheelEvent(self, event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        self.show_all()
        event.accept()

    def _restyle(self, *_: object) -> None:
        seen = self.getViewBox().viewRange()
        super()._restyle()
        if self._spectrum is None:
            return
        axis = self.getPlotItem().getAxis("left")
        axis.enableAutoSIPrefix(False)
        axis.setScale(1.0 / self._unit)
        axis.setLabel(self._title, color=self.theme.dim)
        if self._whole is not None:
            self._show_range(seen)

    def _show_range(self, span: Any) -> None:
        (low, high), (bottom, top) = span
        self.set_ranges(low, high, bottom, top)


def _title(spectrum: Spectrum, exponent: int) -> str:
    translate = QCoreApplication.translate
    relative = translate("SpectrumPanel", "Relative flux")
    absolute = translate("SpectrumPanel", "Flux")
    return flux_title(relative, absolute, spectrum.flux_unit, exponent)
