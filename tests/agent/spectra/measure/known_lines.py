"""Spectra with lines of known equivalent width, width and wavelength, on LAMOST's pixels."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import voigt_profile

from agent.spectra.lines import builtin_lines
from agent.spectra.spectrum import FloatArray, Spectrum

WAVELENGTH: FloatArray = 10 ** np.arange(np.log10(3700.0), np.log10(9100.0), 1e-4)
"""69 km/s per pixel, like LAMOST low-resolution spectra."""
GAUSS_AREA = math.sqrt(math.pi / math.log(2.0)) / 2.0
"""Area of a Gaussian divided by height x FWHM."""


@dataclass(frozen=True)
class KnownLine:
    """A line added to a continuum of 1: `shape` is its height (negative: absorption)."""

    name: str
    line: str
    centre: float
    fwhm: float
    ew: float
    shape: Callable[[FloatArray], FloatArray]


def gaussian(name: str, line: str, centre: float, fwhm: float, height: float) -> KnownLine:
    def shape(x: FloatArray) -> FloatArray:
        return np.asarray(height * np.exp(-4.0 * math.log(2.0) * ((x - centre) / fwhm) ** 2))

    return KnownLine(name, line, centre, fwhm, -height * fwhm * GAUSS_AREA, shape)


def stark(
    name: str, line: str, centre: float, fwhm: float, depth: float, power: float = 2.5
) -> KnownLine:
    """depth / (1 + |dl / w|^power), with wings like a white dwarf's Balmer lines."""
    half = 0.5 * fwhm

    def shape(x: FloatArray) -> FloatArray:
        return np.asarray(-depth / (1.0 + np.abs((x - centre) / half) ** power))

    ew = depth * 2.0 * half * (math.pi / power) / math.sin(math.pi / power)
    return KnownLine(name, line, centre, fwhm, ew, shape)


def voigt(
    name: str, line: str, centre: float, sigma: float, gamma: float, height: float
) -> KnownLine:
    peak = float(voigt_profile(0.0, sigma, gamma))
    gauss, lorentz = 2.35482 * sigma, 2.0 * gamma
    fwhm = 0.5346 * lorentz + math.sqrt(0.2166 * lorentz**2 + gauss**2)

    def shape(x: FloatArray) -> FloatArray:
        return np.asarray(height * voigt_profile(x - centre, sigma, gamma) / peak)

    return KnownLine(name, line, centre, fwhm, -height / peak, shape)


def double_peak(
    name: str, line: str, centre: float, separation: float, fwhm_each: float, height: float
) -> KnownLine:
    """Two equal Gaussian peaks, as in an accretion disc."""
    halves = [
        gaussian(name, line, centre + sign * 0.5 * separation, fwhm_each, height)
        for sign in (-1, 1)
    ]

    def shape(x: FloatArray) -> FloatArray:
        return np.asarray(halves[0].shape(x) + halves[1].shape(x))

    return KnownLine(name, line, centre, separation + fwhm_each, 2.0 * halves[0].ew, shape)


def both(line: KnownLine, other: KnownLine) -> KnownLine:
    """A narrow line on a broad one, as in a polar; its FWHM is that of the first."""

    def shape(x: FloatArray) -> FloatArray:
        return np.asarray(line.shape(x) + other.shape(x))

    return KnownLine(line.name, line.line, line.centre, line.fwhm, line.ew + other.ew, shape)


H_ALPHA, H_BETA = 6564.6129, 4862.691
NARROW = gaussian("narrow emission (unresolved)", "H_alpha", H_ALPHA, H_ALPHA / 1800.0, 0.8)
BROAD = gaussian("broad emission (CV)", "H_alpha", H_ALPHA, 28.5, 1.5)
WIDE = stark("broad absorption (DA)", "H_beta", H_BETA, 34.0, 0.5)


def observed(
    lines: list[KnownLine], snr: float, rng: np.random.Generator | None,
    continuum: FloatArray | float = 1.0, survey: str = "LAMOST",
    wavelength: FloatArray = WAVELENGTH, has_errors: bool = True,
) -> Spectrum:  # fmt: skip
    """Lines on a continuum with noise of constant continuum S/N per pixel."""
    flux = np.ones_like(wavelength)
    for line in lines:
        flux = flux + line.shape(wavelength)
    flux = flux * continuum
    sigma = np.broadcast_to(np.asarray(continuum) / snr, wavelength.shape)
    if rng is not None:
        flux = flux + sigma * rng.normal(size=wavelength.size)
    return Spectrum(
        wavelength=wavelength, flux=np.asarray(flux), ivar=1.0 / sigma**2 if has_errors else None,
        survey=survey,
    )  # fmt: skip


STAR = [
    gaussian("Ha", "H_alpha", H_ALPHA, 9.0, -0.5),
    gaussian("Hb", "H_beta", H_BETA, 9.0, -0.5),
    gaussian("Hg", "H_gamma", 4341.69, 9.0, -0.5),
    gaussian("Hd", "H_delta", 4102.90, 9.0, -0.5),
    gaussian("Mg", "MgI_5183", 5185.04, 5.0, -0.4),
    gaussian("Ca", "CaII_8542", 8544.44, 7.0, -0.4),
    gaussian("Ca", "CaII_8662", 8664.52, 7.0, -0.4),
]


def band(head: str, depth: float, scale: float = 40.0) -> KnownLine:
    """A band of this depth at its head, fading exponentially to its shaded side."""
    line = builtin_lines()[head]
    side = 1.0 if line.shaded == "red" else -1.0

    def shape(x: np.ndarray) -> np.ndarray:
        away = side * (x - line.wavelength)
        return np.where(away >= 0, -depth * np.exp(-np.maximum(away, 0.0) / scale), 0.0)

    return KnownLine(head, head, line.wavelength, np.nan, np.nan, shape)
