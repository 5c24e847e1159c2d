"""A template over the spectrum: fetched by name, brought to its height and velocity."""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np
from PySide6.QtCore import QObject, Signal

from agent.errors import WorkbenchError
from agent.spectra.spectrum import FloatArray
from app.ui.plot.plot_view import EMPTY, PlotView
from app.ui.plot.trace import Trace
from app.ui.session_context import SessionContext


class TemplateSource(Protocol):
    def load(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Wavelengths at rest in vacuum angstrom, and fluxes. Called off the window's thread;
        raises a WorkbenchError for one that is not there or cannot be read."""
        ...


ROUNDS = 4
CLIP_SIGMA = 3.0
FEWEST = 20


def scaled(
    trace: Trace, wavelength_rest: FloatArray, flux: FloatArray, z: float
) -> tuple[FloatArray, FloatArray] | None:
    """Observed wavelengths, and fluxes in the units of the trace: the factor of least squares, once
    what stands out is left aside. None where they have too little in common."""
    wavelength = wavelength_rest * (1.0 + z)
    there = np.isfinite(flux) & np.isfinite(wavelength)
    if there.sum() < 2:
        return None
    model = np.interp(trace.wavelength, wavelength[there], flux[there], left=np.nan, right=np.nan)
    both = np.isfinite(model) & np.isfinite(trace.flux)
    data, model = trace.flux[both], model[both]
    if data.size < FEWEST:
        return None
    factor = 1.0
    for _ in range(ROUNDS):
        power = float(np.dot(model, model))
        if not power > 0:
            return None
        factor = float(np.dot(model, data)) / power
        rest = np.abs(data - factor * model)
        kept = rest <= CLIP_SIGMA * 1.4826 * float(np.median(rest)) + 1e-12
        if kept.all() or kept.sum() < FEWEST:
            break
        data, model = data[kept], model[kept]
    return (wavelength, factor * flux) if np.isfinite(factor) and factor > 0 else None


Curve = tuple[FloatArray, FloatArray]


class TemplateOverlay(QObject):
    changed = Signal()
    """Another one is drawn, or none."""

    def __init__(self, context: SessionContext, plot: PlotView, parent: QObject) -> None:
        super().__init__(parent)
        self._view, self._current, self._runner = context.view, context.current, context.runner
        self._plot = plot
        self._source: TemplateSource | None = None
        self._curve: Curve | None = None
        self.name = ""
        context.view.changed.connect(self._take_options)
        plot.template.hide()

    def use(self, source: TemplateSource) -> None:
        self._source = source
        self._fetch()

    def show(self, wavelength_rest: FloatArray, flux: FloatArray, name: str) -> None:
        self.name, self._curve = name, (wavelength_rest, flux)
        self.draw()

    def clear(self) -> None:
        self.name, self._curve = "", None
        self.draw()

    @property
    def fits(self) -> bool:
        """Whether it has anything in common with what is drawn."""
        return self._plot.template.isVisible()

    def draw(self) -> None:
        trace, found = self._plot.trace, None
        if trace is not None and self._curve is not None:
            found = scaled(trace, *self._curve, self._view.options.z)
        self._plot.template.show_data(*(found or (EMPTY, EMPTY)))
        self._plot.template.setVisible(found is not None)
        self._plot.viewport().update()
        self.changed.emit()

    def _take_options(self, names: frozenset[str]) -> None:
        if "template" in names:
            self._fetch()
        elif "z" in names:
            self.draw()

    def _fetch(self) -> None:
        name, source = self._view.options.template, self._source
        if not name or source is None:
            self.clear()
            return
        done = partial(self._take, name)
        self._runner.run(partial(source.load, name), done, self._not_there, owner=self)

    def _take(self, name: str, curve: Curve) -> None:
        if name == self._view.options.template:
            self.show(*curve, name)

    def _not_there(self, error: WorkbenchError) -> None:
        self.clear()
        self._current.tell(error)
