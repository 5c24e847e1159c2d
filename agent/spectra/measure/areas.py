"""Equivalent width and centroid in windows of a line, or in windows one names oneself."""

from __future__ import annotations

import math

import numpy as np

from agent.spectra.lines import Line, builtin_lines
from agent.spectra.measure.measurement import Measurement, measured, refused
from agent.spectra.measure.sidebands import LineArea, SideLine, integrate_line, level, side_line
from agent.spectra.sampling import PixelGrid, doppler, sample
from agent.spectra.spectrum import Spectrum, Window

MIN_SIDE_A = 12.0
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
    """Angstrom at rest, absorption positive; the error holds the noise and the continuum's error.

    `where` is a line (or its id) with windows of its own, or a window in vacuum angstrom at rest.
    Without `sidebands` the continuum comes from both sides of the window.
    """
    found = _integrated("EW", spectrum, where, sidebands, velocity_kms)
    if isinstance(found, Measurement):
        return found
    name, sampling, _, seen, area = found
    shift = doppler(velocity_kms)
    n_pixels = int(sampling.good[sampling.slice(*seen)].sum())
    return measured(name, area.width / shift, area.error / shift, "Å", seen, n_pixels)


def centroid(
    spectrum: Spectrum,
    where: Line | str | Window,
    sidebands: tuple[Window, Window] | None = None,
    velocity_kms: float = 0.0,
) -> Measurement:
    """Mean wavelength of a line weighted by its depth or height; observed vacuum angstrom."""
    found = _integrated("centroid", spectrum, where, sidebands, velocity_kms)
    if isinstance(found, Measurement):
        return found
    name, sampling, line, seen, area = found
    if abs(area.width) < MIN_CENTROID_SIGMA * area.error:
        return refused(name, "no line above 3 sigma", "Å", seen)
    where_px = sampling.slice(*seen)
    wavelength, width = sampling.wavelength[where_px], sampling.width[where_px]
    continuum = line.at(wavelength)
    depth = width * (1.0 - sampling.flux[where_px] / continuum)
    total = float(depth.sum())
    if total == 0:
        return refused(name, "no line above 3 sigma", "Å", seen)
    middle = float(depth @ wavelength) / total
    noise = (wavelength - middle) * width * sampling.sigma[where_px] / continuum
    # A wrong continuum tilts the weights: one term for each side.
    tilt = (wavelength - middle) * (width - depth) / continuum
    share = line.share(wavelength)
    red, blue = float(tilt @ share) * line.red.error, float(tilt @ (1 - share)) * line.blue.error
    error = math.hypot(math.sqrt(float(noise @ noise)), red, blue) / abs(total)
    return measured(name, middle, error, "Å", seen, int(wavelength.size))


def line_windows(
    where: Line | str | Window, sidebands: tuple[Window, Window] | None
) -> tuple[str, Window, tuple[Window, Window]]:
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
        beside = max(MIN_SIDE_A, SIDE_SHARE * (window[1] - window[0]))
        sidebands = ((window[0] - beside, window[0]), (window[1], window[1] + beside))
    return name, window, sidebands


def _integrated(
    what: str,
    spectrum: Spectrum,
    where: Line | str | Window,
    sidebands: tuple[Window, Window] | None,
    velocity_kms: float,
) -> tuple[str, PixelGrid, SideLine, Window, LineArea] | Measurement:
    """Name, continuum, window as observed and area of a feature, or the refusal."""
    place, window, sidebands = line_windows(where, sidebands)
    name = f"{what}_{place}"
    found = _continuum(spectrum, window, sidebands, doppler(velocity_kms))
    if isinstance(found, str):
        return refused(name, found, "Å", window)
    sampling, line, seen = found
    area = integrate_line(sampling, line, seen)
    if isinstance(area, str):
        return refused(name, area, "Å", seen)
    return name, sampling, line, seen, area


def _continuum(
    spectrum: Spectrum, window: Window, sidebands: tuple[Window, Window], shift: float
) -> tuple[PixelGrid, SideLine, Window] | str:
    sampling = sample(spectrum)
    if not (math.isfinite(shift) and shift > 0):
        return "no such velocity"
    if not (np.isfinite(window).all() and window[0] < window[1]):
        return "no such window"
    seen = (window[0] * shift, window[1] * shift)
    if seen[0] < sampling.edges[0] or seen[1] > sampling.edges[-1] or not sampling.is_usable:
        return "outside the spectrum"
    sides = [level(sampling, lo * shift, hi * shift, CLIP) for lo, hi in sidebands]
    if isinstance(sides[0], str) or isinstance(sides[1], str):
        return "no continuum beside the feature"
    line = side_line(sides[0], sides[1], CONTINUUM_SIGMA)
    return line if isinstance(line, str) else (sampling, line, seen)
