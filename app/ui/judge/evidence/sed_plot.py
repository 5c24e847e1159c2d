"""The spectral energy distribution: the spectrum with the fluxes that catalogues measured, and in
each band the magnitude that follows from the spectrum."""

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QWidget

from agent.spectra.spectrum import FloatArray, Spectrum
from app.core.spectra.flux_quantity import flux_density, power_text
from app.services.catalogues.answer import Answer
from app.services.photometry.synthetic import (
    LEVEL_LIMIT,
    FluxPoint,
    MagnitudeComparison,
    compare,
    flux_points,
)
from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.evidence.card_plot import CardPlot, pen
from app.ui.judge.evidence.value_table import ValueRow, ValueTable
from app.ui.widgets.labels import column, wrapped_label

HEIGHT_PX = 210
BLOCKS = 400  # of the drawn spectrum; a plot in a panel has hardly more pixels across
TICKS_UM = (0.15, 0.3, 0.6, 1, 2, 5, 10, 20)  # from GALEX to WISE
MOST_POWERS = 5  # powers of ten on the left axis beyond which every second or third is left out
MARGIN_X, MARGIN_Y = 0.08, 0.25  # beside the outermost points, in dex
"""Room for a symbol, and for the width of most bands."""
UM = 1e4  # Angstrom in a micrometre
SYMBOLS = {
    "galex": "t",
    "sdss": "s",
    "panstarrs": "o",
    "gaia": "d",
    "twomass": "t1",
    "allwise": "p",
}
EMPTY = np.empty(0)


@dataclass(frozen=True, eq=False, kw_only=True)
class Energy:
    """The energy distribution of an object, ready to be drawn. Wavelengths in micrometres."""

    points: tuple[FluxPoint, ...] = ()
    comparison: MagnitudeComparison = field(default_factory=MagnitudeComparison)
    wavelength: FloatArray = field(default_factory=lambda: EMPTY)
    flux: FloatArray = field(default_factory=lambda: EMPTY)


def energy_of(spectrum: Spectrum | None, answers: dict[str, Answer]) -> Energy | None:
    """None where no service has a magnitude. Any thread."""
    points = tuple(flux_points(answers))
    if not points:
        return None
    if spectrum is None:
        return Energy(points=points)
    density = flux_density(spectrum.flux_unit)
    unit = density[1] if density is not None and density[0] == "per_wavelength" else None
    comparison = compare(spectrum, points, unit)
    energy = Energy(points=points, comparison=comparison)
    if comparison.scale is None:
        return energy
    wavelength, flux = _blocks(spectrum)
    shown = flux > 0.0
    return replace(energy, wavelength=wavelength[shown] / UM, flux=flux[shown] * comparison.scale)


def _blocks(spectrum: Spectrum) -> tuple[FloatArray, FloatArray]:
    """Median flux of the good pixels in blocks, as many as a small plot can show."""
    wavelength, flux = spectrum.wavelength[spectrum.good], spectrum.flux[spectrum.good]
    width = max(wavelength.size // BLOCKS, 1)
    count = wavelength.size // width
    shape = count, width
    middle = np.median(flux[: count * width].reshape(shape), axis=1)
    return wavelength[: count * width].reshape(shape).mean(axis=1), middle


class SedPlot(CardPlot):
    """Both axes are logarithmic: what is drawn, and the ranges, are logarithms."""

    def __init__(self, current_theme: CurrentTheme, parent: QWidget) -> None:
        self.energy: Energy | None = None
        super().__init__(current_theme, HEIGHT_PX, parent)
        self.setAccessibleName(self.tr("Spectral energy distribution"))
        self.name_axes(self.tr("wavelength / µm"), "f_λ")
        for side in ("left", "bottom"):
            self.plotItem.getAxis(side).enableAutoSIPrefix(False)
        ticks = [(math.log10(each), f"{each:g}") for each in TICKS_UM]
        self.plotItem.getAxis("bottom").setTicks([ticks])

    def show_energy(self, energy: Energy | None) -> None:
        if energy is not self.energy:
            self.energy = energy
            self.redraw()

    def redraw(self) -> None:
        self.plotItem.clear()
        energy = self.energy
        if energy is None:
            return
        theme = self.theme
        if energy.wavelength.size:
            x, y = np.log10(energy.wavelength), np.log10(energy.flux)
            self.addItem(pg.PlotCurveItem(x, y, pen=pen(theme.flux)))
        ends = [end for each in energy.points for end in (each.band.low, each.band.high)]
        level = np.repeat([each.flux for each in energy.points], 2)
        x, y = np.log10(np.array(ends) / UM), np.log10(level)
        self.addItem(pg.PlotCurveItem(x, y, pen=pen(theme.overlay_1), connect="pairs"))
        symbols = [SYMBOLS.get(each.band.service, "o") for each in energy.points]
        centres = [each.band.centre for each in energy.points]
        self._mark(centres, [each.flux for each in energy.points], symbols, theme.overlay_1)
        compared = energy.comparison.compared
        if compared:
            centres = [each.point.band.centre for each in compared]
            fluxes = [each.point.band.flux(each.synthetic) for each in compared]
            self._mark(centres, fluxes, "o", theme.template, is_filled=False)
        self._fit(energy)

    def _mark(
        self,
        centres: list[float],
        fluxes: list[float],
        symbol: str | list[str],
        colour: str,
        *,
        is_filled: bool = True,
    ) -> None:
        x, y = np.log10(np.array(centres) / UM), np.log10(fluxes)
        size, brush = (8, QColor(colour)) if is_filled else (11, None)
        edge = pen(colour, 1.6)
        self.addItem(pg.ScatterPlotItem(x, y, symbol=symbol, size=size, pen=edge, brush=brush))

    def _fit(self, energy: Energy) -> None:
        """Let the axes show all points and the spectrum."""
        x = np.array([each.band.centre / UM for each in energy.points])
        y = np.array([each.flux for each in energy.points])
        x = np.concatenate([x, energy.wavelength[:1], energy.wavelength[-1:]])
        if energy.flux.size:  # without noise near zero and the tops of lines
            y = np.concatenate([y, np.percentile(energy.flux, [2.0, 99.0])])
        left, right = math.log10(x.min()) - MARGIN_X, math.log10(x.max()) + MARGIN_X
        bottom, top = math.log10(y.min()) - MARGIN_Y, math.log10(y.max()) + MARGIN_Y
        self.plotItem.vb.setXRange(left, right, padding=0.0)
        self.plotItem.vb.setYRange(bottom, top, padding=0.0)
        powers = range(math.ceil(bottom), math.floor(top) + 1)
        step = max(len(powers) // MOST_POWERS, 1)
        ticks = [(float(each), power_text(each)) for each in powers[::step]]
        self.plotItem.getAxis("left").setTicks([ticks])


class SedView(QWidget):
    """The plot, and in words whether spectrum and catalogues agree."""

    def __init__(self, current_theme: CurrentTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self.plot = SedPlot(current_theme, self)
        self.flag = wrapped_label("", "warning")
        self.table = ValueTable(current_theme, self.tr("Magnitudes of the spectrum"), self)
        copy = QGuiApplication.clipboard().setText
        self.table.copy_requested.connect(lambda value: copy(value.plain))
        self.caption = wrapped_label("", "small")
        column(self.flag, self.table, self.plot, self.caption, spacing=4, parent=self)

    def show_energy(self, energy: Energy) -> None:
        self.plot.show_energy(energy)
        comparison = energy.comparison
        self.flag.setVisible(comparison.disagrees)
        self.flag.setText(self._flag_text(comparison))
        self.table.setVisible(bool(comparison.compared))
        self.table.show_rows(self._rows(comparison))
        text = self.tr(
            "Filled: catalogues, with the width of the band. Circles: magnitudes of the spectrum "
            "in top-hat bands, an approximation good to about 0.1 mag. f_λ in erg/s/cm²/Å."
        )
        if comparison.compared:
            table = self.tr("Table: magnitude in the catalogue / of the spectrum (difference).")
            text = f"{table} {text}"
        if not comparison.is_absolute and comparison.compared:
            text += " " + self.tr(
                "The spectrum's flux is relative: it is moved to agree on average."
            )
        self.caption.setText(text)

    def _rows(self, comparison: MagnitudeComparison) -> list[ValueRow]:
        about, rows = self.tr("Magnitude in the catalogue, and of the spectrum"), []
        for each in comparison.compared:
            both = f"{each.point.magnitude:.2f} / {each.synthetic:.2f}"
            text, plain = f"{both} ({signed(each.difference)})", f"{each.synthetic:.3f}"
            name = each.point.band.label
            rows.append(ValueRow(name=name, text=text, description=about, plain=plain))
        return rows

    def _flag_text(self, comparison: MagnitudeComparison) -> str:
        texts = []
        if comparison.worst is not None:
            text = self.tr(
                "⚠ {band} of the spectrum is off by {by} mag against the other bands: a wrong "
                "fibre, a neighbour in it, or variability?"
            )
            text = text.replace("{band}", comparison.worst.point.band.label)
            texts.append(text.replace("{by}", signed(comparison.worst_by)))
        if comparison.level is not None and abs(comparison.level) > LEVEL_LIMIT:
            text = self.tr(
                "⚠ The spectrum is off by {by} mag in all bands: another object, or much light "
                "lost?"
            )
            texts.append(text.replace("{by}", signed(comparison.level)))
        return "\n".join(texts)


def signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "\N{MINUS SIGN}")
