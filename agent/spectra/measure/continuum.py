"""A pseudo-continuum that ignores lines and bands: a stiff broken line fitted with clipping."""

from __future__ import annotations

from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np

from agent.spectra.pixel_grid import IndexArray, PixelGrid, median, pixel_grid
from agent.spectra.smoothing import smooth_box
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum

KNOT_STEP_A = 150.0
MAX_KNOTS = 600
STIFFNESS = 0.3  # weight of the curvature relative to the pixels of one knot
N_ITERATIONS = 8
CONVERGED = 0.003  # the fit has converged once a smaller share of the pixels is clipped or restored
# Absorption is more common than emission, so the lower cut is tighter. Noise alone is not biased.
LOW_CLIP, HIGH_CLIP = 2.0, 2.5
SMOOTHING_PX = 5
FLOOR = 0.02  # relative to the typical flux: pixels with smaller errors have equal weights

_continua: WeakKeyDictionary[PixelGrid, FloatArray] = WeakKeyDictionary()


def pseudo_continuum(spectrum: Spectrum, knot_step: float = KNOT_STEP_A) -> FloatArray:
    """Continuum in flux units on the spectrum's own pixels; all NaN if no pixel is good.

    It follows variations over more than about two `knot_step` (angstrom). In stars with many
    bands it is below the true continuum: use it to find lines, not to measure colours.
    """
    grid = pixel_grid(spectrum)
    if not grid.is_usable:
        return np.full(len(spectrum), np.nan)
    with np.errstate(over="ignore"):
        return fit_continuum(grid, knot_step) * grid.scale


def continuum_of(grid: PixelGrid) -> FloatArray:
    """The pseudo-continuum in units of the grid, cached for the life of the grid."""
    continuum = _continua.get(grid)
    if continuum is None:
        continuum = fit_continuum(grid)
        continuum.setflags(write=False)
        _continua[grid] = continuum
    return continuum


def fit_continuum(grid: PixelGrid, knot_step: float = KNOT_STEP_A) -> FloatArray:
    wavelength, flux, good = grid.wavelength, grid.flux, grid.good
    if not good.any():
        return np.zeros_like(flux)
    knots = _knots(float(wavelength[0]), float(wavelength[-1]), knot_step)
    cell = np.clip(np.searchsorted(knots, wavelength, side="right") - 1, 0, knots.size - 2)
    part = (wavelength - knots[cell]) / (knots[cell + 1] - knots[cell])
    everywhere = np.ones_like(good)
    noise = grid.sigma / np.sqrt(SMOOTHING_PX)
    weight = 1.0 / np.maximum(grid.sigma, FLOOR) ** 2
    continuum = _cell_medians(wavelength, flux, good, knots)
    kept = ~good
    for _ in range(N_ITERATIONS):
        residual = smooth_box(flux - continuum, everywhere, SMOOTHING_PX)
        # 1.4826 times the median deviation is the standard deviation of Gaussian values.
        spread = np.maximum(noise, 1.4826 * median(np.abs(residual[good])))
        keep = good & (residual > -LOW_CLIP * spread) & (residual < HIGH_CLIP * spread)
        n_changed = int((keep != kept).sum())
        if n_changed <= CONVERGED * keep.size or keep.sum() < 2:
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
    """Broken line through the median of the good pixels of each cell, at its middle."""
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
    flux: FloatArray, weight: FloatArray, cell: IndexArray, part: FloatArray, n_knots: int
) -> FloatArray:
    """Weighted least squares for the knots of a broken line, with a penalty on curvature."""
    from scipy.linalg import solveh_banded  # takes 0.2 s: the window opens without it

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
    """Add strength * D'D of second differences to a banded matrix.

    A small diagonal term keeps the matrix regular where no pixel reaches a knot.
    """
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
