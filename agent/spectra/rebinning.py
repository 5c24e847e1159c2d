"""A spectrum on other pixels, and its ratio to another or their difference.

Very fine spectra get coarser ones for the measurements, whose cost grows as their square.
"""

from dataclasses import replace

import numpy as np

from agent.spectra.gaps import GAP, gap_starts
from agent.spectra.pixel_grid import LIGHT_KMS, kept_with, pixel_edges, pixel_grid
from agent.spectra.spectrum import FloatArray, Spectrum

MAX_MEASURED = 40_000
"""Pixels up to which a spectrum is measured as it is: all of surveys, and most echelle spectra."""
PIXEL_KMS = 10.0
BEST_RESOLUTION = LIGHT_KMS / (2.0 * PIXEL_KMS)


def measurable(spectrum: Spectrum) -> Spectrum:
    """The spectrum, or one with pixels of 10 km/s if it has very many. Any thread."""
    return spectrum if len(spectrum) <= MAX_MEASURED else _coarser(spectrum)


@kept_with
def _coarser(spectrum: Spectrum) -> Spectrum:
    return rebinned(spectrum, PIXEL_KMS)


def rebinned(spectrum: Spectrum, pixel_kms: float) -> Spectrum:
    """Means of the good pixels in bins of this width; a wider pixel stays as it is."""
    wavelength, good = spectrum.wavelength, spectrum.good
    bins = np.floor(np.log(wavelength / wavelength[0]) * (LIGHT_KMS / pixel_kms))
    starts = np.flatnonzero(np.diff(bins, prepend=-1.0))
    if starts.size < 2:
        return spectrum
    with np.errstate(all="ignore"):
        count = np.add.reduceat(good.astype(np.float64), starts)
        flux = np.add.reduceat(np.where(good, spectrum.flux, 0.0), starts) / count
        ivar = None
        if spectrum.ivar is not None:
            variance = np.where(good, 1.0 / spectrum.ivar, 0.0)
            ivar = count**2 / np.add.reduceat(variance, starts)
    sizes = np.diff(starts, append=wavelength.size)
    resolution = spectrum.resolution
    return replace(
        spectrum, wavelength=np.add.reduceat(wavelength, starts) / sizes, flux=flux, ivar=ivar,
        mask=None, resolution=None if resolution is None else min(resolution, BEST_RESOLUTION),
    )  # fmt: skip


MIN_COVERAGE = 0.5  # share of a pixel that good pixels must cover
MIN_LEVEL = 0.02  # where the divisor is less than this share of its typical flux, there is no ratio


def resampled(spectrum: Spectrum, wavelength: FloatArray) -> FloatArray:
    """The flux on other pixels; NaN where it has none that are good, and in its gaps.

    Wider pixels get the mean of the flux that falls into them, so that flux is conserved; narrower
    ones are interpolated.
    """
    grid = pixel_grid(spectrum)
    if not grid.is_usable or wavelength.size < 2:
        return np.full(wavelength.shape, np.nan)
    edges = pixel_edges(wavelength)
    sums = grid.sums(edges[:-1], edges[1:])
    flux = np.asarray(sums.mean)
    narrow = np.diff(edges) < np.interp(wavelength, grid.wavelength, grid.width)
    flux[narrow] = np.interp(wavelength[narrow], grid.wavelength, grid.flux)
    known = sums.coverage >= MIN_COVERAGE
    own = spectrum.wavelength
    half = 0.5 * float(np.median(np.diff(own)))  # what lies nearer to the end of a gap is beside it
    for start in gap_starts(own, GAP).tolist():
        known &= (wavelength <= own[start - 1] + half) | (wavelength >= own[start] - half)
    known &= (wavelength >= grid.edges[0]) & (wavelength <= grid.edges[-1])
    with np.errstate(over="ignore"):
        return np.where(known, flux * grid.scale, np.nan)


def ratio(flux: FloatArray, other: FloatArray) -> FloatArray:
    """The ratio of two fluxes on the same pixels; NaN where the second is near zero or unknown."""
    sizes = np.abs(other[np.isfinite(other)])
    least = MIN_LEVEL * float(np.median(sizes)) if sizes.size else 0.0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        quotient = flux / other
        return np.where(np.abs(other) > least, quotient, np.nan)


def median_factor(flux: FloatArray, other: FloatArray) -> float:
    """What brings the other flux to the same median where both are known; NaN if nothing does."""
    both = np.isfinite(flux) & np.isfinite(other)
    if not both.any():
        return np.nan
    mine, its = float(np.median(flux[both])), float(np.median(other[both]))
    with np.errstate(over="ignore"):
        factor = mine / its if its > 0 and mine > 0 else np.nan
    return factor if np.isfinite(factor) and factor > 0 else np.nan
