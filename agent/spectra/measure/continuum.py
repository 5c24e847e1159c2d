"""A pseudo-continuum under lines and bands of either sign, by a clipped, stiff curve."""

from __future__ import annotations

from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np

from agent.spectra.sampling import PixelGrid, median, sample
from agent.spectra.smoothing import smooth_box
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum

KNOT_STEP_A = 150.0
MAX_KNOTS = 600
STIFFNESS = 0.3
"""Weight of the curvature against the pixels of one knot."""
N_ITERATIONS = 8
SETTLED = 0.003
"""Part of the pixels that may still change sides when the curve is taken as found."""
LOW_CLIP, HIGH_CLIP = 2.0, 2.5
"""Absorption is the commoner: the cut below is tighter, yet pure noise is not biased by it."""
SMOOTHING_PX = 5
FLOOR = 0.02
"""Smallest deviation that counts, of the typical flux: pixels better than this weigh alike."""

_continua: WeakKeyDictionary[PixelGrid, FloatArray] = WeakKeyDictionary()


def pseudo_continuum(spectrum: Spectrum, knot_step: float = KNOT_STEP_A) -> FloatArray:
    """Continuum in flux units on the spectrum's own pixels; NaN where no pixel is good.

    Follows what varies over more than about two `knot_step` (angstrom). In stars full of bands it
    lies between the band bottoms and the true continuum: good for finding lines, not for colours.
    """
    sampling = sample(spectrum)
    if not sampling.is_usable:
        return np.full(len(spectrum), np.nan)
    with np.errstate(over="ignore"):
        return fit_continuum(sampling, knot_step) * sampling.scale


def continuum_of(sampling: PixelGrid) -> FloatArray:
    """The pseudo-continuum in units of the sampling, kept as long as the sampling lives."""
    known = _continua.get(sampling)
    if known is None:
        known = fit_continuum(sampling)
        known.setflags(write=False)
        _continua[sampling] = known
    return known


def fit_continuum(sampling: PixelGrid, knot_step: float = KNOT_STEP_A) -> FloatArray:
    wavelength, flux, good = sampling.wavelength, sampling.flux, sampling.good
    if not good.any():
        return np.zeros_like(flux)
    knots = _knots(float(wavelength[0]), float(wavelength[-1]), knot_step)
    cell = np.clip(np.searchsorted(knots, wavelength, side="right") - 1, 0, knots.size - 2)
    part = (wavelength - knots[cell]) / (knots[cell + 1] - knots[cell])
    everywhere = np.ones_like(good)
    noise = sampling.sigma / np.sqrt(SMOOTHING_PX)
    weight = 1.0 / np.maximum(sampling.sigma, FLOOR) ** 2
    continuum = _cell_medians(wavelength, flux, good, knots)
    kept = ~good
    for _ in range(N_ITERATIONS):
        away = smooth_box(flux - continuum, everywhere, SMOOTHING_PX)
        spread = np.maximum(noise, 1.4826 * median(np.abs(away[good])))
        keep = good & (away > -LOW_CLIP * spread) & (away < HIGH_CLIP * spread)
        n_changed = int((keep != kept).sum())
        if n_changed <= SETTLED * keep.size or keep.sum() < 2:
            break
        kept = keep
        knot_flux = _fit_knots(flux, np.where(keep, weight, 0.0), cell, part, knots.size)
        continuum = np.interp(wavelength, knots, knot_flux)
    return continuum


def _knots(low: float, high: float, step: float) -> FloatArray:
    n_cells = int(np.clip(np.ceil((high - low) / max(step, 1e-3)), 1, MAX_KNOTS))
    return np.linspace(low, high, n_cells + 1)


def _cell_medians(
    wavelength: FloatArray, flux: FloatArray, good: BoolArray, knots: FloatArray
) -> FloatArray:
    """Line through the median of the good pixels of each cell, at its middle."""
    borders = np.searchsorted(wavelength, knots)
    borders[-1] = wavelength.size
    middles, medians = [], []
    for first, last in pairwise(borders.tolist()):
        values = flux[first:last][good[first:last]]
        if values.size:
            middles.append(0.5 * (wavelength[first] + wavelength[last - 1]))
            medians.append(median(values))
    return np.interp(wavelength, middles, medians)


def _fit_knots(
    flux: FloatArray, weight: FloatArray, cell: np.ndarray, part: FloatArray, n_knots: int
) -> FloatArray:
    """Weighted least squares for the knots of a broken line whose curvature costs."""
    from scipy.linalg import solveh_banded  # 0.2 s to import: the window opens without it

    left, right = weight * (1.0 - part), weight * part

    def total(values: FloatArray, shift: int = 0) -> FloatArray:
        return np.asarray(np.bincount(cell + shift, values, n_knots), dtype=np.float64)

    bands = np.zeros((3, n_knots))
    bands[2] = total(left * (1.0 - part)) + total(right * part, 1)
    bands[1, 1:] = total(left * part)[:-1]
    wanted = total(left * flux) + total(right * flux, 1)
    _add_curvature(bands, STIFFNESS * float(bands[2].mean()))
    return np.asarray(solveh_banded(bands, wanted, check_finite=False))


def _add_curvature(bands: FloatArray, strength: float) -> None:
    """Add strength * D'D of second differences to a banded matrix, and a trace for empty ends."""
    n_knots = bands.shape[1]
    bands[2] += 1e-9 * strength
    if n_knots < 3:
        bands[2] += 1e-6 * strength
        return
    for offset, factor in enumerate((1.0, -2.0, 1.0)):
        bands[2, offset : n_knots - 2 + offset] += strength * factor**2
    bands[1, 1 : n_knots - 1] += -2.0 * strength
    bands[1, 2:] += -2.0 * strength
    bands[0, 2:] += strength
