"""Part of a spectrum, as much as one arm, two short arms or a broken detector would leave of it."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum
from train.simulate.source import Rng
from train.simulate.telescope.observation import happens, log_uniform

ARM = (300.0, 3500.0)
"""Angstrom; a longer one shows nearly as much as the whole."""
SHORT_ARMS = (4950.0, 5350.0), (6300.0, 6800.0)  # of LAMOST's medium resolution
JOINS = (5300.0, 6400.0)  # where the arms of most spectrographs meet
GAP = (100.0, 1500.0)
FEWEST = 60  # good pixels from which on a part is worth a question


def with_part_of(spectrum: Spectrum, rng: Rng) -> Spectrum:
    """The spectrum with a part of it missing, or as it is if too little would be left."""
    keep = PARTS[int(rng.integers(len(PARTS)))](spectrum.wavelength, rng)
    if np.count_nonzero(keep & spectrum.good) < FEWEST:
        return spectrum
    if happens(rng, 0.5) and keep[[0, -1]].all():
        return dead(spectrum, ~keep, rng)
    return replace(
        spectrum, wavelength=spectrum.wavelength[keep], flux=spectrum.flux[keep],
        ivar=None if spectrum.ivar is None else spectrum.ivar[keep],
        mask=None if spectrum.mask is None else spectrum.mask[keep],
    )  # fmt: skip


def dead(spectrum: Spectrum, pixels: BoolArray, rng: Rng) -> Spectrum:
    """Pixels that are masked, their flux zero or what it was."""
    flux = np.where(pixels, 0.0, spectrum.flux) if happens(rng, 0.5) else spectrum.flux
    if spectrum.ivar is None:
        return replace(spectrum, flux=flux, mask=pixels | ~spectrum.good)
    return replace(spectrum, flux=flux, ivar=np.where(pixels, 0.0, spectrum.ivar))


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
