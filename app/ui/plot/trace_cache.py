"""Prepares the curves of spectra that are read ahead, so that showing one need not make it."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from agent.spectra.spectrum import Spectrum
from app.core.spectra.prefetch import Prefetch
from app.ui.candidate.view_options import View
from app.ui.plot.axes.flux_range import flux_range
from app.ui.plot.trace import AskedTrace, Trace, asked_trace, takes_long, trace


class TraceCache:
    """The traces of spectra that were read ahead, each as long as its spectrum is kept."""

    def __init__(self, view: View, prefetch: Prefetch) -> None:
        self._view = view
        self._made: WeakKeyDictionary[Spectrum, tuple[AskedTrace, Trace]] = WeakKeyDictionary()
        prefetch.prepare = self.prepare

    def prepare(self, spectrum: Spectrum) -> None:
        """Make its trace as the view options are now; called in the thread that has read it."""
        options, window = self._view.options, self._view.window
        asked = asked_trace(options)
        if takes_long(spectrum, *asked):
            return
        made = trace(spectrum, *asked)
        for each in {window or made.range, made.range}:
            flux_range(made, each, options.flux_zero)
        self._made[spectrum] = asked, made

    def trace(self, spectrum: Spectrum, asked: AskedTrace) -> Trace:
        made_for, made = self._made.get(spectrum, (None, None))
        return made if made is not None and made_for == asked else trace(spectrum, *asked)
