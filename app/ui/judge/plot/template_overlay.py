"""Draws a template over the spectrum: shifted, and with its slopes fitted as ranking does."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from agent.errors import WorkbenchError
from agent.spectra.gaps import GAP, with_gaps
from agent.spectra.matching.template_velocity import as_ranked, to_rank
from agent.spectra.spectrum import FloatArray, Spectrum
from app.ui.judge.plot.canvas.curve import EMPTY
from app.ui.judge.plot.plot_view import PlotView
from app.ui.session.session_context import SessionContext

Points = tuple[FloatArray, FloatArray]
LoadTemplate = Callable[[str], Points]
"""Rest wavelengths (vacuum angstrom) and fluxes by name. Called outside the GUI thread.

Raises a WorkbenchError for a template that is missing or cannot be read.
"""


def read_template(load: LoadTemplate, name: str, spectrum: Spectrum | None) -> Points:
    """The template; the spectrum is prepared for it meanwhile, as the first time takes long."""
    if spectrum is not None:
        to_rank(spectrum)
    return load(name)


class TemplateOverlay(QObject):
    changed = Signal()

    def __init__(self, context: SessionContext, plot: PlotView, parent: QObject) -> None:
        super().__init__(parent)
        self._view, self._current = context.view, context.current
        self._answer = context.runner.latest(self)
        self._plot = plot
        self._load_template: LoadTemplate | None = None
        self._curve: Points | None = None
        self.curve: Points = (EMPTY, EMPTY)
        """As drawn: observed wavelengths, and fluxes as on the axis of the trace."""
        self.name = ""
        context.view.changed.connect(self._apply_options)
        plot.template.hide()

    def set_source(self, load: LoadTemplate) -> None:
        self._load_template = load
        self._load()

    def clear(self) -> None:
        self._answer.forget()
        self.name, self._curve = "", None
        self.draw()

    @property
    def fits(self) -> bool:
        """Whether the template overlaps the spectrum and is drawn."""
        return bool(self._plot.template.isVisible())

    def draw(self) -> None:
        trace, spectrum, options = self._plot.trace, self._current.spectrum, self._view.options
        wavelength, flux, fitted = EMPTY, EMPTY, None
        if trace is not None and spectrum is not None and self._curve is not None:
            fitted = as_ranked(spectrum, *self._curve, options.z)
            if fitted is not None:
                wavelength = self._curve[0] * (1.0 + options.z)
                flux = trace.place_all(wavelength, fitted * options.template_scale)
        wavelength, flux = self.curve = with_gaps(wavelength, GAP, flux)  # type: ignore[assignment]
        self._plot.template.show_data(wavelength, flux)
        self._plot.template.setVisible(fitted is not None)
        self._plot.viewport().update()
        self.changed.emit()

    def _apply_options(self, names: frozenset[str]) -> None:
        if "template" in names:
            self._load()
        elif names & {"z", "template_scale"}:
            self.draw()

    def _load(self) -> None:
        name, load = self._view.options.template, self._load_template
        if not name or load is None:
            self.clear()
            return
        work = partial(read_template, load, name, self._current.spectrum)
        self._answer.ask(work, partial(self._loaded, name), self._load_failed)

    def _loaded(self, name: str, curve: Points) -> None:
        self.name, self._curve = name, curve
        self.draw()

    def _load_failed(self, error: WorkbenchError) -> None:
        self.clear()
        self._current.report_error(error)
