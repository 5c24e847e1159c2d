"""Part of a spectrum, as much as one arm, two short arms or a broken detector would leave of it."""

from collections.abc import Callable

import numpy as np

from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum
from train.questions.distortion import JOINS, finished_spectrum, with_dead_pixels, working_copy
from train.simulate.source import Rng
from train.simulate.telescope.observation import happens, log_uniform

ARM = (300.0, 3500.0)
"""Angstrom; a longer one shows nearly as much as the whole."""
SHORT_ARMS = (4950.0, 5350.0), (6300.0, 6800.0)  # of LAMOST's medium resolution
GAP = (100.0, 1500.0)
FEWEST = 60  # good pixels from which on a part is worth a question


def with_part_of(spectrum: Spectrum, rng: Rng) -> Spectrum:
    """The spectrum with a part of it missing, or as it is if too little would be left."""
    keep = PARTS[int(rng.integers(len(PARTS)))](spectrum.wavelength, rng)
    if np.count_nonzero(keep & spectrum.good) < FEWEST:
        return spectrum
    working = working_copy(spectrum)
    if happens(rng, 0.5) and keep[[0, -1]].all():
        left = with_dead_pixels(working, ~keep, 0.0 if happens(rng, 0.5) else None)
    else:
        left = working.part(keep)
    return finished_spectrum(left, spectrum)


def _arm(wavelength: FloatArray, rng: Rng) -> BoolArray:
    length = log_uniform(rng, ARM)
    first, last = float(wavelength[0]), float(wavelength[-1])
    low = float(rng.uniform(first - length / 4, max(first, last - 3 * length / 4)))
    return (wavelength >= low) & (wavelength <= low + length)


def _one_side(wavelength: FloatArray, rng: Rng) -> BoolArray:
    join = float(rng.uniform(*JOINS))
    return wavelength <= join if happens(rng, 0.4) else wavelength >= join


def _short_arms(wavelength: FloatArray, rng: Rng) -> BoolArray:
    arms = SHORT_ARMS if happens(rng, 0.8) else SHORT_ARMS[int(rng.integers(2)) :][:1]
    inside = [(wavelength >= low) & (wavelength <= high) for low, high in arms]
    return np.any(inside, axis=0)


def _gap(wavelength: FloatArray, rng: Rng) -> BoolArray:
    length = log_uniform(rng, GAP)
    low = float(rng.uniform(wavelength[0], max(wavelength[0], wavelength[-1] - length)))
    return (wavelength < low) | (wavelength > low + length)


PARTS: tuple[Callable[[FloatArray, Rng], BoolArray], ...] = (
    _arm, _arm, _one_side, _one_side, _short_arms, _gap,
)  # fmt: skip
