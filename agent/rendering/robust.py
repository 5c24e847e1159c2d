"""Flux limits that ignore cosmic rays, and a pseudo-continuum, for the compact pictures."""

from itertools import pairwise

import numpy as np

from agent.spectra.spectrum import FloatArray

CENTRAL_PERCENT = (0.5, 99.5)
REACH = 1.0  # times the central range, by which lines may extend the limits on each side
MAX_KNOTS = 12
PIXELS_PER_KNOT = 12
CONTINUUM_PERCENTILE = 65.0
NORMALISED_LIMITS = (-0.5, 4.0)


def limits(flux: FloatArray) -> tuple[float, float]:
    """The central percentiles, extended by what survives a median filter of 3 pixels.

    A cosmic ray on one pixel does not survive; a spectral line does. The extension is limited, so
    that a badly subtracted sky line cannot flatten everything else.
    """
    smooth = running_median(flux, 3)
    low, high = np.percentile(flux, CENTRAL_PERCENT)
    reach = REACH * (high - low)
    if reach > 0:
        low = min(low, max(smooth.min(), low - reach))
        high = max(high, min(smooth.max(), high + reach))
    if not high > low:
        low, high = flux.min(), flux.max()
    return float(low), float(high)


def running_median(values: FloatArray, width: int) -> FloatArray:
    """Median over `width` (odd) pixels; shorter arrays are returned unchanged."""
    if len(values) < width:
        return values
    padded = np.pad(values, width // 2, mode="edge")
    return np.median(np.lib.stride_tricks.sliding_window_view(padded, width), axis=1)


def pseudo_continuum(wavelength: FloatArray, flux: FloatArray) -> FloatArray:
    """Upper percentiles of up to a dozen segments, interpolated linearly.

    The result is at least 1/20 of the typical flux, so that it is safe to divide by.
    """
    knots = int(np.clip(len(flux) // PIXELS_PER_KNOT, 1, MAX_KNOTS))
    bounds = np.linspace(0, len(flux), knots + 1).astype(int)
    levels, centres = np.empty(knots), np.empty(knots)
    for i, (start, end) in enumerate(pairwise(bounds.tolist())):
        levels[i] = np.percentile(flux[start:end], CONTINUUM_PERCENTILE)
        centres[i] = wavelength[start:end].mean()
    floor = 0.05 * float(np.median(np.abs(flux)))
    if not floor > 0:
        return np.ones_like(flux)
    return np.maximum(np.interp(wavelength, centres, levels), floor)


def normalised(wavelength: FloatArray, flux: FloatArray) -> FloatArray:
    return flux / pseudo_continuum(wavelength, flux)


def normalised_limits(flux: FloatArray) -> tuple[float, float]:
    low, high = limits(flux)
    least, most = NORMALISED_LIMITS
    low, high = max(low, least), min(high, most)
    return (low, high) if high > low else (least, most)
