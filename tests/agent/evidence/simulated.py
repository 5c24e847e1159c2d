"""Simulated spectra of known classes."""

from functools import cache

import numpy as np

from agent.evidence.measurements import SpectrumMeasurements, measurements_of
from agent.spectra.spectrum import Spectrum
from train.simulate.sky import draw_source
from train.simulate.telescope.observation import to_spectrum
from train.simulate.telescope.telescope import observe

NORMAL = {"CV": "quiescent", "WD": "DA", "M_DWARF": "M dwarf"}


@cache
def simulated_spectrum(
    label: str, snr: float = 40.0, survey: str = "SDSS", seed: int = 3
) -> Spectrum:
    """A spectrum of a class, of its most common subtype where that matters."""
    rng = np.random.default_rng([seed, 17])
    label, subtype = ("CV", label) if label == "AM CVn" else (label, NORMAL.get(label))
    source = draw_source(label, rng)
    while source.subtype != (subtype or source.subtype):
        source = draw_source(label, rng)
    return to_spectrum(observe(source, survey, rng, snr=snr, quality="good"))


def numbers_of(label: str) -> SpectrumMeasurements:
    return measurements_of(simulated_spectrum(label))
