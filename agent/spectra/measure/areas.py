"""Equivalent width and centroid in the windows of a line or in given windows."""

from __future__ import annotations

import math

import numpy as np

from agent.spectra.lines import Line, builtin_lines
from agent.spectra.measure.measurement import Measurement, measured, refused
from agent.spectra.measure.sidebands import (
    FeatureArea,
    LinearContinuum,
    integrate_feature,
    linear_continuum,
    side_level,
)
from agent.spectra.pixel_grid import PixelGrid, doppler, pixel_grid
from agent.spectra.spectrum import Spectrum, Window

MIN_SIDE_A = 12.0
# Default width of a side window: this share of the line's window, at least MIN_SIDE_A.
SIDE_SHARE = 0.5
CONTINUUM_SIGMA = 3.0
CLIP = 3.0
MIN_CENTROID_SIGMA = 3.0


def equivalent_width(
    spectrum: Spectrum,
    where: Line | str | Window,
    sidebands: tuple[Window, Window] | None = None,
    velocity_kms: float = 0.0,
) -> Measurement:
    """Angstrom at rest, absorption positive; the error includes noise and continuum.

    `where` is a line (or its id) or a window, and `sidebands` are windows, in vacuum angstrom at
    rest. Without `sidebands` the continuum is taken beside the window.
    """
    integrated = _integrated("EW", spectrum, where, sidebands, velocity_kms)
    if isinstance(integrated, Measurement):
        return integrated
    name, grid, _, observed, area = integrated
    shift = doppler(velocity_kms)
    n_pixels = int(grid.good[grid.slice(*observed)].sum())
    return measured(name, area.width / shift, area.error / shift, "Å", observed, n_pixels)


def centroid(
    spectrum: Spectrum,
    where: Line | str | Window,
    sidebands: tuple[Window, Window] | None = None,
    velocity_kms: float = 0.0,
) -> Measurement:
    """Mean wavelength of a line, weighted by depth or height; observed vacuum angstrom."""
    integrated = _integrated("centroid", spectrum, where, sidebands, velocity_kms)
    if isinstance(integrated, Measurement):
        return integrated
    name, grid, continuum, observed, area = integrated
    if abs(area.width) < MIN_CENTROID_SIGMA * area.error:
        return refused(name, "no line above 3 sigma", "Å", observed)
    pixels = grid.slice(*observed)
    wavelength, width = grid.wavelength[pixels], grid.width[pixels]
    level = continuum.at(wavelength)
    depth = width * (1.0 - grid.flux[pixels] / level)
    total = float(depth.sum())
    if total == 0:
        return refused(name, "no line above 3 sigma", "Å", observed)
    middle = float(depth @ wavelength) / total
    noise = (wavelength - middle) * width * grid.sigma[pixels] / level
    # A wrong continuum tilts the weights: one term for each side.
    tilt = (wavelength - middle) * (width - depth) / level
    share = continuum.red_share(wavelength)
    red = float(tilt @ share) * continuum.red.error
    blue = float(tilt @ (1 - share)) * continuum.blue.error
    error = math.hypot(math.sqrt(float(noise @ noise)), red, blue) / abs(total)
    return measured(name, middle, error, "Å", observed, int(wavelength.size))


def _line_windows(
    where: Line | str | Window, sidebands: tuple[Window, Window] | None
) -> tuple[str, Window, tuple[Window, Window]]:
    """Name, window and side windows of a line or of a window."""
    if isinstance(where, str):
        where = builtin_lines()[where]
    if isinstance(where, Line):
        name = where.id
        window = where.window or (where.wavelength - 10.0, where.wavelength + 10.0)
        if sidebands is None and len(where.continuum) == 2:
            sidebands = (where.continuum[0], where.continuum[1])
    else:
        name, window = f"{where[0]:.0f}_{where[1]:.0f}", where
    if sidebands is None:
        side = max(MIN_SIDE_A, SIDE_SHARE * (window[1] - window[0]))
        sidebands = ((window[0] - side, window[0]), (window[1], window[1] + side))
    return name, window, sidebands


def _integrated(
    quantity: str,
    spectrum: Spectrum,
    where: Line | str | Window,
    sidebands: tuple[Window, Window] | None,
    velocity_kms: float,
) -> tuple[str, PixelGrid, LinearContinuum, Window, FeatureArea] | Measurement:
    """Name, pixels, continuum, observed window and area of a feature, or a refusal."""
    line, window, sidebands = _line_windows(where, sidebands)
    name = f"{quantity}_{line}"
    fitted = _continuum(spectrum, window, sidebands, doppler(velocity_kms))
    if isinstance(fitted, str):
        return refused(name, fitted, "Å", window)
    grid, continuum, observed = fitted
    area = integrate_feature(grid, continuum, observed)
    if isinstance(area, str):
        return refused(name, area, "Å", observed)
    return name, grid, continuum, observed, area


def _continuum(
    spectrum: Spectrum, window: Window, sidebands: tuple[Window, Window], shift: float
) -> tuple[PixelGrid, LinearContinuum, Window] | str:
    grid = pixel_grid(spectrum)
    if not (math.isfinite(shift) and shift > 0):
        return "no such velocity"
    if not (np.isfinite(window).all() and window[0] < window[1]):
        return "no such window"
    observed = (window[0] * shift, window[1] * shift)
    if observed[0] < grid.edges[0] or observed[1] > grid.edges[-1] or not grid.is_usable:
        return "outside the spectrum"
    sides = [side_level(grid, lo * shift, hi * shift, CLIP) for lo, hi in sidebands]
    if isinstance(sides[0], str) or isinstance(sides[1], str):
        return "no continuum beside the feature"
    continuum = linear_continuum(sides[0], sides[1], CONTINUUM_SIGMA)
    return continuum if isinstance(continuum, str) else (grid, continuum, observed)
