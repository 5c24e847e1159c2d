"""Spectra with their fluxes at wrong wavelengths, which are of no kind, whatever their shape."""

from __future__ import annotations

import numpy as np

from agent.spectra.spectrum import Spectrum
from train.evaluate.sight_pictures import mirrored, taken_from
from train.simulate.source import Rng
from train.simulate.telescope.frame import happens, log_uniform

SHIFTS = (120.0, 900.0)
"""Angstrom; less could be a fast star."""
MIRRORED = 0.15
NO_KIND = "ARTEFACT"
"""The label of what is no kind of object."""


def misplaced(spectrum: Spectrum, rng: Rng) -> Spectrum:
    """The fluxes shifted to the blue or red on the same wavelengths, or in reverse order."""
    if happens(rng, MIRRORED):
        return mirrored(spectrum)
    shift = log_uniform(rng, SHIFTS) * (1.0 if happens(rng, 0.5) else -1.0)
    low, high = spectrum.range
    # Beyond an end the fluxes run back, so that there is no edge by which to tell.
    places = low + np.abs(spectrum.wavelength - shift - low)
    return taken_from(spectrum, high - np.abs(high - places))
