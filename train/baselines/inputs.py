"""The input of each network: its wavelength grid and its normalisation.

Bad pixels are interpolated, and the end values are repeated beyond the spectrum. No network gets a
redshift or errors.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from agent.spectra.measure.continuum import pseudo_continuum
from agent.spectra.spectrum import FloatArray, Spectrum

Row = NDArray[np.float32]

# LAMOST's log grid from 3700 Å, with the length that published networks of this kind use.
LOG_START, LOG_STEP, LOG_PIXELS = 3.5682, 1e-4, 3700
LOG_GRID: FloatArray = np.power(10.0, LOG_START + LOG_STEP * np.arange(LOG_PIXELS))
LINEAR_GRID: FloatArray = np.linspace(3900.0, 9000.0, 3000)
COARSE_GRID: FloatArray = np.power(10.0, np.log10(3700.0) + 2e-4 * np.arange(1940))
"""To about 9040 Å with twice the step: 193 sections of 20 pixels, 10 pixels apart."""
CLIP = 1.0
SPREAD_FLOOR = 0.2


def on_grid(spectrum: Spectrum, grid: FloatArray) -> FloatArray:
    """Flux on a grid with bad pixels interpolated; zeros if there are no good pixels."""
    good = spectrum.good
    if np.count_nonzero(good) < 2:
        return np.zeros_like(grid)
    return np.interp(grid, spectrum.wavelength[good], spectrum.flux[good])


def minimum_to_maximum(spectrum: Spectrum) -> Row:
    """Flux on the log grid, scaled to 0 to 1."""
    flux = on_grid(spectrum, LOG_GRID)
    # Without this clipping one cosmic ray would flatten the rest.
    low, high = np.quantile(flux, [1e-4, 1.0 - 1e-4])
    if not high > low:
        return np.zeros(flux.size, dtype=np.float32)
    return np.asarray((np.clip(flux, low, high) - low) / (high - low), dtype=np.float32)


def over_continuum(spectrum: Spectrum) -> Row:
    """Flux over continuum minus 1 on the linear grid, clipped to -1 to 1."""
    continuum = pseudo_continuum(spectrum)
    level = float(np.nanmedian(continuum)) if np.isfinite(continuum).any() else 0.0
    if not level > 0:
        return np.zeros(LINEAR_GRID.size, dtype=np.float32)
    flux = on_grid(spectrum, LINEAR_GRID)
    below = np.interp(LINEAR_GRID, spectrum.wavelength, np.nan_to_num(continuum, nan=level))
    ratio = flux / np.maximum(below, 0.05 * level) - 1.0
    return np.asarray(np.clip(ratio, -CLIP, CLIP), dtype=np.float32)


def standardised(spectrum: Spectrum) -> Row:
    """Flux on the coarse grid with mean 0 and standard deviation 1."""
    # Surveys have different flux units, so the flux is divided by its median first. The floor
    # keeps pure noise small.
    flux = on_grid(spectrum, COARSE_GRID)
    level = float(np.median(np.abs(flux)))
    if not level > 0:
        return np.zeros(flux.size, dtype=np.float32)
    flux = np.clip(flux / level, -20.0, 20.0)
    spread = max(float(flux.std()), SPREAD_FLOOR)
    return np.asarray((flux - flux.mean()) / spread, dtype=np.float32)


INPUTS: dict[str, tuple[Callable[[Spectrum], Row], FloatArray]] = {
    "minimum-to-maximum": (minimum_to_maximum, LOG_GRID),
    "over-continuum": (over_continuum, LINEAR_GRID),
    "standardised": (standardised, COARSE_GRID),
}
