"""Simulated spectra with and without one emission line."""

import numpy as np

from agent.spectra.spectrum import Spectrum
from train.baselines.fit import NetworkKind

KINDS: tuple[NetworkKind, ...] = ("plain-cnn", "branch-cnn", "section-transformer")
LINE = 6564.6


def spectrum(rng: np.random.Generator, has_line: bool, **more: object) -> Spectrum:
    wavelength = np.arange(3800.0, 9000.0, 2.0)
    flux = 10.0 * (wavelength / 6000.0) ** rng.normal(0.0, 1.0)
    if has_line:
        flux *= 1.0 + 3.0 * np.exp(-0.5 * ((wavelength - LINE) / 40.0) ** 2)
    flux *= 1.0 + rng.normal(0.0, 0.05, wavelength.size)
    return Spectrum(wavelength=wavelength, flux=flux, path="line.fits", **more)  # type: ignore[arg-type]


def lines(count: int, seed: int = 0) -> list[Spectrum]:
    """Every other one has a line."""
    rng = np.random.default_rng(seed)
    return [spectrum(rng, number % 2 == 0) for number in range(count)]
