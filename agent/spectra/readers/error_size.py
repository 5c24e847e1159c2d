"""Judges by its size whether a column without a name is the error of the flux."""

from __future__ import annotations

import numpy as np

from agent.spectra.pixel_grid import scatter
from agent.spectra.spectrum import FloatArray

# The scatter of the flux from pixel to pixel holds lines besides noise, so that real errors may be
# much smaller; pixels of a resampled spectrum scatter less than their errors.
SMALLEST, LARGEST = 0.02, 10.0
FEWEST = 10
POSITIVE = 0.5  # share of the pixels that must have an error; others are bad pixels
SAME = 0.03  # relative scatter up to which two columns are the same quantity
BETTER = 0.2  # scatter that is left, of what it was, where a relation explains a column


def is_error(flux: FloatArray, column: FloatArray, wavelength: FloatArray) -> bool:
    """Whether a column is about as large as the scatter of the flux and nothing else we know."""
    known = np.isfinite(flux) & np.isfinite(column) & (column > 0)
    if known.sum() < max(FEWEST, POSITIVE * flux.size) or (column < 0).any():
        return False
    noise = scatter(flux, np.isfinite(flux))[known]
    error = column[known]
    ratio = float(np.median(error) / np.median(noise)) if np.median(noise) > 0 else np.inf
    if not SMALLEST <= ratio <= LARGEST:
        return False
    steps = np.abs(np.gradient(wavelength))[known]
    if np.median(np.abs(error - steps)) < SAME * np.median(steps):
        return False  # the widths of the bins
    return not _is_flux_again(flux[known], error, wavelength[known])


def _is_flux_again(flux: FloatArray, column: FloatArray, wavelength: FloatArray) -> bool:
    """Whether the column is the flux per frequency, in photons or in magnitudes.

    A constant share of the flux, in contrast, may be its error.
    """
    if not (flux > 0).all():
        return False
    varies = _spread(column / flux)
    for power in (0, 1, 2):
        other = flux * wavelength**power
        if _spread(column / other) < min(SAME, BETTER * varies):
            return True
        if float(np.std(column + 2.5 * np.log10(other))) < BETTER * min(float(np.std(column)), 1.0):
            return True
    return False


def _spread(values: FloatArray) -> float:
    """Scatter relative to the mean."""
    return float(np.std(values) / np.mean(values))
