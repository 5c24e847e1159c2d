"""Width and depth of a broad absorption line, measured on its smoothed profile."""

from __future__ import annotations

import math

import numpy as np

from agent.spectra.measure.index_definitions import Index
from agent.spectra.measure.sidebands import LinearContinuum
from agent.spectra.pixel_grid import PixelGrid
from agent.spectra.smoothing import smooth_box
from agent.spectra.spectrum import FloatArray, Window

SMOOTHING_A = 5.0  # width of the smoothing box, angstrom at rest
MIN_DEPTH = 0.03
MIN_DEPTH_SIGMA = 4.0


def measure_trough(
    grid: PixelGrid,
    continuum: LinearContinuum,
    centre: Window,
    inside: Window,
    index: Index,
    shift: float,
) -> tuple[float, float] | str:
    """Value and error of a `width` (angstrom at rest) or `minimum` index, or why there is none.

    The lowest point is searched in `centre`, the flanks up to the ends of `inside`.
    """
    pixels = grid.slice(*inside)
    wavelength, good = grid.wavelength[pixels], grid.good[pixels]
    if wavelength.size < 5 or good.mean() < 0.75:
        return "too few good pixels"
    expected = continuum.at(wavelength)
    if not expected.min() > 0:
        return "the continuum falls below zero"
    width_px = max(1.0, SMOOTHING_A * shift / float(np.median(grid.width[pixels])))
    flux = smooth_box(grid.flux[pixels] / expected, np.ones_like(good), width_px)
    n_averaged = max(1, 2 * round((width_px - 1) / 2) + 1)
    sigma = grid.sigma[pixels] / expected / math.sqrt(n_averaged)
    middle = np.flatnonzero((wavelength >= centre[0]) & (wavelength <= centre[1]))
    if not middle.size:
        return "no pixel at the line's centre"
    lowest = int(middle[np.argmin(flux[middle])])
    depth, error = 1.0 - float(flux[lowest]), float(sigma[lowest])
    if index.kind == "minimum":
        return 1.0 - depth, error
    if depth < max(MIN_DEPTH, MIN_DEPTH_SIGMA * error):
        return "no absorption deep enough"
    level = 1.0 - 0.5 * depth if index.level == "half_depth" else 0.8
    if flux[lowest] >= level:
        return "the line is not that deep"
    sides = [_crossing(wavelength, flux, sigma, lowest, step, level) for step in (-1, 1)]
    if sides[0] is None or sides[1] is None:
        return "the line reaches beyond its continuum windows"
    # The level moves by half the error of the depth, on both flanks alike.
    level_error = 0.5 * error * (sides[0][2] + sides[1][2]) if index.level == "half_depth" else 0.0
    return (
        (sides[1][0] - sides[0][0]) / shift,
        math.hypot(sides[0][1], sides[1][1], level_error) / shift,
    )


def _crossing(
    wavelength: FloatArray,
    flux: FloatArray,
    sigma: FloatArray,
    lowest: int,
    step: int,
    level: float,
) -> tuple[float, float, float] | None:
    """Where the profile first rises through `level`, its error, and angstrom per unit of flux."""
    side = flux[lowest:] if step > 0 else flux[lowest::-1]
    above = np.flatnonzero(side >= level)
    if not above.size:
        return None
    outer = lowest + step * int(above[0])
    inner = outer - step
    rise = float(flux[outer] - flux[inner])
    part = (level - float(flux[inner])) / rise
    crossing = float(wavelength[inner] + part * (wavelength[outer] - wavelength[inner]))
    # The slope over a few pixels: between two noisy ones it is meaningless.
    left, right = max(0, min(inner, outer) - 2), min(flux.size - 1, max(inner, outer) + 2)
    slope = abs(float(flux[right] - flux[left])) / float(wavelength[right] - wavelength[left])
    per_flux = 1.0 / max(slope, 1e-3 * level)
    return crossing, float(sigma[inner]) * per_flux, per_flux
