"""A spectrum as each network is shown it: its own grid and its own normalisation.

Both are part of a method. Bad pixels are bridged, what a spectrum does not reach holds its last
value, and no network is told a redshift or an error.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from agent.spectra.measure.continuum import pseudo_continuum
from agent.spectra.spectrum import FloatArray, Spectrum

Row = NDArray[np.float32]

LOG_START, LOG_STEP, LOG_PIXELS = 3.5682, 1e-4, 3700
"""The usual log grid of LAMOST from 3700 A, as long as the published networks of that kind take."""
LOG_GRID: FloatArray = np.power(10.0, LOG_START + LOG_STEP * np.arange(LOG_PIXELS))
LINEAR_GRID: FloatArray = np.linspace(3900.0, 9000.0, 3000)
COARSE_GRID: FloatArray = np.power(10.0, np.log10(3700.0) + 2e-4 * np.arange(1940))
"""To about 9040 A at twice the step: 193 sections of 20 pixels, a step of 10 apart."""
CLIP = 1.0
SPREAD_FLOOR = 0.2


def on_grid(spectrum: Spectrum, grid: FloatArray) -> FloatArray:
    """Flux on a grid, bad pixels bridged; zeros where nothing is good."""
    good = spectrum.good
    if np.count_nonzero(good) < 2:
        return np.zeros_like(grid)
    return np.interp(grid, spectrum.wavelength[good], spectrum.flux[good])


def minimum_to_maximum(spectrum: Spectrum) -> Row:
    """From 0 to 1 over the log grid. The brightest hundredth of a per cent is cut: one cosmic ray
    would flatten the rest."""
    flux = on_grid(spectrum, LOG_GRID)
    low, high = np.quantile(flux, [1e-4, 1.0 - 1e-4])
    if not high > low:
        return np.zeros(flux.size, dtype=np.float32)
    return np.asarray((np.clip(flux, low, high) - low) / (high - low), dtype=np.float32)


def over_continuum(spectrum: Spectrum) -> Row:
    """flux / continuum - 1, clipped to one above and below, on the linear grid."""
    continuum = pseudo_continuum(spectrum)
    level = float(np.nanmedian(continuum)) if np.isfinite(continuum).any() else 0.0
    if not level > 0:
        return np.zeros(LINEAR_GRID.size, dtype=np.float32)
    flux = on_grid(spectrum, LINEAR_GRID)
    below = np.interp(LINEAR_GRID, spectrum.wavelength, np.nan_to_num(continuum, nan=level))
    ratio = flux / np.maximum(below, 0.05 * level) - 1.0
    return np.asarray(np.clip(ratio, -CLIP, CLIP), dtype=np.float32)


def standardised(spectrum: Spectrum) -> Row:
    """Mean 0 and spread 1 on the coarse grid, in units of the median flux first: surveys differ
    in theirs. The spread is floored, so that pure noise stays small."""
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
