"""Who gives the plot the templates it lays over a spectrum."""

from __future__ import annotations

from typing import Protocol

from agent.spectra.spectrum import FloatArray


class TemplateSource(Protocol):
    def load(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Wavelengths at rest in vacuum angstrom, and fluxes. Called off the window's thread;
        raises a WorkbenchError for one that is not there or cannot be read."""
        ...
