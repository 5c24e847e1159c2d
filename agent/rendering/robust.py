"""Limits that a cosmic ray cannot stretch, and a pseudo-continuum, for the compact pictures."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from agent.spectra.spectrum import FloatArray

CENTRAL_PERCENT = (0.5, 99.5)
REACH = 1.0
"""Lines may stretch the limits on each side by as much as the central range."""
MOST_KNOTS = 12
PIXELS_PER_KNOT = 12
CONTINUUM_PERCENTILE = 65.0
NORMALISED_LIMITS = (-0.5, 4.0)


def limits(flux: FloatArray) -> tuple[float, float]:
    """Between the percentiles, plus what still stands out of them after a median of 3 pixels.

    A hit on one pixel does not and runs off the paper; a line does, and is followed until it
    doubles the range of the rest, so that a bad sky line cannot flatten everything else.
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
    """Median over `width` (odd) pixels; too few pixels come back as they are."""
    if len(values) < width:
        return values
    padded = np.pad(values, width // 2, mode="edge")
    return np.median(np.lib.stride_tricks.sliding_window_view(padded, width), axis=1)


def pseudo_continuum(wavelength: FloatArray, flux: FloatArray) -> FloatArray:
    """A smooth upper level: percentiles of up to a dozen stretches, joined by straight lines.

    Never below a twentieth of the typical level, so that dividing by it stays tame.
    """
    knots = int(np.clip(len(flux) // PIXELS_PER_KNOT, 1, MOST_KNOTS))
    bounds = np.linspace(0, len(flux), knots + 1).astype(int)
    levels, places = np.empty(knots), np.empty(knots)
    for i, (start, end) in enumerate(pairwise(bounds.tolist())):
        levels[i] = np.percentile(flux[start:end], CONTINUUM_PERCENTILE)
        places[i] = wavelength[start:end].mean()
    floor = 0.05 * float(np.median(np.abs(flux)))
    if not floor > 0:
        return np.ones_like(flux)
    return np.maximum(np.interp(wavelength, places, levels), floor)


def normalised(wavelength: FloatArray, flux: FloatArray) -> FloatArray:
    return flux / pseudo_continuum(wavelength, flux)


def normalised_limits(flux: FloatArray) -> tuple[float, float]:
    low, high = limits(flux)
    least, most = NORMALISED_LIMITS
    low, high = max(low, least), min(high, most)
    return (low, high) if high > low else (least, most)
