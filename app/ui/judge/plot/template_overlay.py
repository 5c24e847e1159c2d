"""Draws a template over the spectrum: loaded by name, scaled and shifted to match."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, Signal

from agent.errors import WorkbenchError
from agent.spectra.gaps import GAP, with_gaps
from agent.spectra.spectrum import FloatArray, Spectrum
from app.core.spectra.flux_quantity import NORMALISED, PER_FREQUENCY, inverse_continuum
from app.core.spectra.flux_unit import flux_density
from app.ui.judge.plot.canvas.curve import EMPTY
from app.ui.judge.plot.plot_view import PlotView
from app.ui.judge.plot.trace import Trace
from app.ui.session.session_context import SessionContext

Points = tuple[FloatArray, FloatArray]
LoadTemplate = Callable[[str], Points]
"""Rest wavelengths (vacuum angstrom) and fluxes by name. Called outside the GUI thread.

Raises a WorkbenchError for a template that is missing or cannot be read.
"""
ROUNDS = 4
CLIP_SIGMA = 3.0
MIN_PIXELS = 20
CONTINUUM_SNR = 20.0


def scale_template(
    trace: Trace, wavelength_rest: FloatArray, flux: FloatArray, z: float
) -> tuple[FloatArray, FloatArray] | None:
    """Observed wavelengths, and fluxes scaled to the trace by least squares with outliers clipped.

    None where template and trace overlap too little.
    """
    wavelength = wavelength_rest * (1.0 + z)
    known = np.isfinite(flux) & np.isfinite(wavelength)
    if known.sum() < 2:
        return None
    model = np.interp(trace.wavelength, wavelength[known], flux[known], left=np.nan, right=np.nan)
    both = np.isfinite(model) & np.isfinite(trace.flux)
    data, model = trace.flux[both], model[both]
    if data.size < MIN_PIXELS:
        return None
    factor = 1.0
    for _ in range(ROUNDS):
        power = float(np.dot(model, model))
        if not power > 0:
            return None
        factor = float(np.dot(model, data)) / power
        residual = np.abs(data - factor * model)
        # 1.4826 turns a median absolute deviation into a standard deviation.
        kept = residual <= CLIP_SIGMA * 1.4826 * float(np.median(residual)) + 1e-12
        if kept.all() or kept.sum() < MIN_PIXELS:
            break
        data, model = data[kept], model[kept]
    return (wavelength, factor * flux) if np.isfinite(factor) and factor > 0 else None


def read_template(load: LoadTemplate, name: str, quantity: str) -> tuple[Points, FloatArray]:
    """The template, and its fluxes divided by its own continuum where that is to be shown."""
    wavelength, flux = load(name)
    if quantity != NORMALISED:
        return (wavelength, flux), EMPTY
    # Without errors the fit takes the ends of a curved noiseless spectrum for lines.
    sigma = np.maximum(np.abs(flux), np.nanmedian(np.abs(flux))) / CONTINUUM_SNR
    ivar = np.nan_to_num(1.0 / np.where(sigma > 0, sigma, np.inf) ** 2)
    factor = inverse_continuum(Spectrum(wavelength=wavelength, flux=flux, ivar=ivar))
    return (wavelength, flux), EMPTY if factor is None else flux * factor


class TemplateOverlay(QObject):
    changed = Signal()

    def __init__(self, context: SessionContext, plot: PlotView, parent: QObject) -> None:
        super().__init__(parent)
        self._view, self._current, self._runner = context.view, context.current, context.runner
        self._plot = plot
        self._load_template: LoadTemplate | None = None
        self._curve: Points | None = None
        self._normalised = EMPTY
        self.curve: Points = (EMPTY, EMPTY)
        """As drawn: observed wavelengths, and fluxes as on the axis of the trace."""
        self.name = ""
        context.view.changed.connect(self._apply_options)
        plot.template.hide()

    def set_source(self, load: LoadTemplate) -> None:
        self._load_template = load
        self._load()

    def clear(self) -> None:
        self.name, self._curve = "", None
        self.draw()

    @property
    def fits(self) -> bool:
        """Whether the template overlaps the spectrum and is drawn."""
        return bool(self._plot.template.isVisible())

    def draw(self) -> None:
        trace, scaled = self._plot.trace, None
        if trace is not None and self._curve is not None:
            rest, flux = self._curve[0], self._in_quantity_of(trace)
            if flux.size:
                scaled = scale_template(trace, rest, flux, self._view.options.z)
        wavelength, flux = scaled or (EMPTY, EMPTY)
        flux = flux * self._view.options.template_scale
        flux = flux if trace is None else trace.on_axis(flux)
        wavelength, flux = self.curve = with_gaps(wavelength, GAP, flux)  # type: ignore[assignment]
        self._plot.template.show_data(wavelength, flux)
        self._plot.template.setVisible(scaled is not None)
        self._plot.viewport().update()
        self.changed.emit()

    def _in_quantity_of(self, trace: Trace) -> FloatArray:
        """Fluxes up to a factor; templates are per wavelength. Empty while they are read anew."""
        assert self._curve is not None
        wavelength, flux = self._curve
        if trace.quantity == NORMALISED:
            return self._normalised
        density = flux_density(trace.flux_unit)
        return flux * wavelength**2 if density and density[0] == PER_FREQUENCY else flux

    def _apply_options(self, names: frozenset[str]) -> None:
        if "template" in names or "flux" in names:
            self._load()
        elif names & {"z", "template_scale"}:
            self.draw()

    def _load(self) -> None:
        name, load = self._view.options.template, self._load_template
        if not name or load is None:
            self.clear()
            return
        work = partial(read_template, load, name, self._view.options.flux)
        self._runner.run(work, partial(self._loaded, name), self._load_failed, owner=self)

    def _loaded(self, name: str, read: tuple[Points, FloatArray]) -> None:
        if name == self._view.options.template:
            self.name = name
            self._curve, self._normalised = read
            self.draw()

    def _load_failed(self, error: WorkbenchError) -> None:
        self.clear()
        self._current.report_error(error)
