"""A spectrum made ready for drawing: smoothed, scaled, with its gaps and bad pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from agent.spectra.sampling import LIGHT_KMS, pixel_edges
from agent.spectra.smoothing import gaussian_kernel
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum

Range = tuple[float, float]

PLAIN = (1e-2, 1e5)
"""Typical fluxes in here are written as they are, others with a power of ten."""
LARGEST = 1e9
"""In typical fluxes; what lies beyond is no measurement and is drawn as a gap."""
GAP = 6.0
"""Pixels farther apart than so many usual ones are not joined."""


@dataclass(frozen=True, eq=False)
class Trace:
    """Fluxes and errors are divided by 10 ** `exponent`; NaN is a gap."""

    wavelength: FloatArray
    flux: FloatArray
    """Smoothed, good pixels only."""
    raw: FloatArray
    """As in the file, bad pixels too."""
    error: FloatArray | None
    """One sigma of `flux`, lowered by the smoothing; None where the file gives none."""
    bad: tuple[Range, ...]
    """Stretches of bad pixels."""
    exponent: int
    smoothing_px: float
    pixel_kms: float

    @property
    def range(self) -> Range:
        return float(self.wavelength[0]), float(self.wavelength[-1])

    @property
    def unit(self) -> float:
        return float(10.0**self.exponent)

    @property
    def is_smoothed(self) -> bool:
        return self.smoothing_px > 0

    @property
    def smoothing_kms(self) -> float:
        return self.smoothing_px * self.pixel_kms


def trace(spectrum: Spectrum, smoothing_px: float = 0.0) -> Trace:
    exponent = _exponent(spectrum)
    unit = 10.0**exponent
    with np.errstate(over="ignore", invalid="ignore"):
        raw = spectrum.flux / unit
        sigma = None if spectrum.sigma is None else spectrum.sigma / unit
    raw = np.where(np.abs(raw) < LARGEST, raw, np.nan)
    good = spectrum.good & np.isfinite(raw)
    flux = np.where(good, raw, np.nan)
    error = None if sigma is None else np.where(good & (sigma < LARGEST), sigma, np.nan)
    if smoothing_px > 0:
        flux, error = smoothed(flux, error, smoothing_px)
    steps = np.diff(spectrum.wavelength)
    wavelength = spectrum.wavelength
    pixel_kms = LIGHT_KMS * float(np.median(steps / wavelength[1:]))
    breaks = _breaks(steps)
    if breaks.size:
        middle = 0.5 * (wavelength[breaks] + wavelength[breaks - 1])
        wavelength = np.insert(wavelength, breaks, middle)
        flux, raw = (np.insert(each, breaks, np.nan) for each in (flux, raw))
        error = None if error is None else np.insert(error, breaks, np.nan)
    bad = stretches(spectrum.wavelength, ~good)
    return Trace(wavelength, flux, raw, error, bad, exponent, smoothing_px, pixel_kms)


def smoothed(
    flux: FloatArray, error: FloatArray | None, fwhm_px: float
) -> tuple[FloatArray, FloatArray | None]:
    """A Gaussian mean over the pixels that are not NaN, which stay so; its error by propagation."""
    kernel = gaussian_kernel(fwhm_px)
    there = np.isfinite(flux)
    weights = _convolved(there.astype(np.float64), kernel)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = _convolved(np.where(there, flux, 0.0), kernel) / weights
        mean[~there] = np.nan
        if error is None:
            return mean, None
        known = np.where(np.isfinite(error), error, 0.0)
        lowered = np.sqrt(_convolved(known**2, kernel**2)) / weights
    lowered[~np.isfinite(error)] = np.nan
    return mean, lowered


def stretches(wavelength: FloatArray, bad: BoolArray) -> tuple[Range, ...]:
    """From the border of the first to that of the last pixel of each run."""
    if not bad.any():
        return ()
    edges = pixel_edges(wavelength)
    steps = np.diff(np.concatenate([[0], bad.astype(np.int8), [0]]))
    first, last = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    return tuple(zip(edges[first].tolist(), edges[last].tolist(), strict=True))


def _convolved(values: FloatArray, kernel: FloatArray) -> FloatArray:
    half = kernel.size // 2
    return np.convolve(values, kernel)[half : half + values.size]


def _exponent(spectrum: Spectrum) -> int:
    magnitudes = np.abs(spectrum.flux[spectrum.good])
    magnitudes = magnitudes[magnitudes > 0]
    typical = float(np.median(magnitudes)) if magnitudes.size else 1.0
    if PLAIN[0] <= typical < PLAIN[1] or not math.isfinite(typical):
        return 0
    return max(min(math.floor(math.log10(typical)), 300), -300)


def _breaks(steps: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Places before which pixels are missing altogether."""
    return np.flatnonzero(steps > GAP * float(np.median(steps))) + 1
