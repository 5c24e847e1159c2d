"""A spectrum as a small line for a row of a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agent.spectra.spectrum import Spectrum

POINTS = 200
LOW, HIGH = 1.0, 99.0
"""Percentiles of the flux at the lower and the upper edge; what is beyond them is cut."""


def sparkline(spectrum: Spectrum, points: int = POINTS) -> NDArray[np.float64]:
    """At most `points` rows of x and y from 0 to 1, upwards, from the means of the good pixels.

    Empty for a spectrum without good pixels.
    """
    good = spectrum.good
    if not good.any():
        return np.empty((0, 2))
    wavelength, flux = spectrum.wavelength[good], spectrum.flux[good]
    first, last = spectrum.wavelength[0], spectrum.wavelength[-1]
    places = np.minimum(((wavelength - first) / (last - first) * points).astype(int), points - 1)
    count = np.bincount(places, minlength=points)
    filled = count > 0
    mean = np.bincount(places, flux, minlength=points)[filled] / count[filled]
    x = (np.flatnonzero(filled) + 0.5) / points
    low, high = np.percentile(mean, (LOW, HIGH))
    y = np.full(len(mean), 0.5) if high <= low else np.clip((mean - low) / (high - low), 0.0, 1.0)
    return np.column_stack([x, y])
