"""Deviation of the continuum from a power law, which bands, humps and broad lines increase."""

from __future__ import annotations

import math

import numpy as np

from agent.spectra.measure.measurement import Measurement, measured, refused
from agent.spectra.measure.slope import CLEAR_WINDOWS
from agent.spectra.pixel_grid import pixel_grid
from agent.spectra.spectrum import Spectrum

MIN_WINDOWS = 6
MIN_COVERAGE = 0.75
WINDOWS = np.array(CLEAR_WINDOWS)


def continuum_bend(spectrum: Spectrum) -> Measurement:
    """RMS of ln flux about its best power law, over windows free of strong lines."""
    grid = pixel_grid(spectrum)
    if not grid.is_usable:
        return refused("bend", "no good pixels")
    sums = grid.sums(WINDOWS[:, 0], WINDOWS[:, 1])
    usable = (sums.coverage > MIN_COVERAGE) & (sums.mean > 3 * sums.error)
    if usable.sum() < MIN_WINDOWS:
        return refused("bend", "too few windows above the noise")
    x, y = np.log(sums.centre[usable]), np.log(sums.mean[usable])
    rest = y - np.polyval(np.polyfit(x, y, 1), x)
    noise = float(np.sqrt(np.mean((sums.error[usable] / sums.mean[usable]) ** 2)))
    bend = math.sqrt(float(np.mean(rest**2)))
    return measured("bend", bend, noise / math.sqrt(float(usable.sum())))
