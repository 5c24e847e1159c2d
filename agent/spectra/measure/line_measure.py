"""Measuring a known line: where it should be, how wide it may be, and what bounds it if absent."""

from __future__ import annotations

import math
from dataclasses import replace

from agent.spectra.instrument import lsf_fwhm, unsafe_regions
from agent.spectra.lines import Line, builtin_lines
from agent.spectra.measure.areas import centroid, equivalent_width
from agent.spectra.measure.line_result import LineMeasurement
from agent.spectra.measure.line_search import (
    CLIP,
    CONTINUUM_SIGMA,
    DEFAULT_LSF_PX,
    INNER,
    MAX_FWHM_KMS,
    MIN_SIDE_A,
    MIN_SIDE_PX,
    NO_PROFILE,
    measure_feature,
    pixel_width,
)
from agent.spectra.measure.sidebands import integrate_line, level, side_line
from agent.spectra.sampling import LIGHT_KMS, doppler, sample
from agent.spectra.spectrum import Spectrum

SEARCH_KMS = 400.0
MAX_METAL_KMS = 1500.0
WIDEST_OF_WINDOW = 1.5
WINGS_SIGMA = 3.0
BASE_OFFSET = 0.06
"""How far from the core, as a part of the window, the middle of a broad base may lie."""


def measure_line(
    spectrum: Spectrum,
    line: Line | str,
    velocity_kms: float = 0.0,
    width_kms: float | None = None,
    search_kms: float = SEARCH_KMS,
) -> LineMeasurement:
    """A line at its expected place, in emission or absorption.

    `width_kms` fixes the first guess of its FWHM, where the caller knows better than a search from
    the instrument's width to 5500 km/s; `search_kms` is how far its centre may lie from there.
    """
    if isinstance(line, str):
        if line not in builtin_lines():
            return LineMeasurement(line[:60], reason="no line has this name")
        line = builtin_lines()[line]
    shift = doppler(velocity_kms) if line.moves_with_star else 1.0
    if not (math.isfinite(shift) and shift > 0):
        return LineMeasurement(line.id, reason="no such velocity")
    expected = line.wavelength * shift
    reach = expected * search_kms / LIGHT_KMS
    near = (expected - reach, expected + reach)
    widest = _widest(line, shift)
    found = measure_feature(spectrum, near, line.id, width_kms, line.wavelength, widest)
    if found.centroid is not None and found.fwhm is not None:
        if abs(found.centroid - expected) > max(1.2 * reach, 0.35 * found.fwhm):
            return LineMeasurement(
                line.id, significance=found.significance, reason="a stronger feature lies beside it"
            )
        return _with_wings(spectrum, line, found, velocity_kms)
    if found.reason == NO_PROFILE and line.window is not None:
        return _fixed_windows(spectrum, line, found, velocity_kms)
    return found if found.reason else _upper_limit(spectrum, line, shift, found)


def _widest(line: Line, shift: float) -> float:
    """Largest FWHM, in angstrom, that is still this line and not a band or a blend."""
    if line.species == "H I":
        return line.wavelength * shift * MAX_FWHM_KMS / LIGHT_KMS
    if line.window is not None:
        return WIDEST_OF_WINDOW * (line.window[1] - line.window[0]) * shift
    return line.wavelength * shift * MAX_METAL_KMS / LIGHT_KMS


def _with_wings(
    spectrum: Spectrum, line: Line, found: LineMeasurement, velocity_kms: float
) -> LineMeasurement:
    """Take the area from the line's fixed windows where these hold clearly more of it.

    A narrow core on a broad base (polars, discs) leaves the base in its own side windows.
    """
    if line.window is None or found.ew is None or found.peak is None or found.fwhm is None:
        return found
    room = line.window[1] - line.window[0]
    wide = equivalent_width(spectrum, line, velocity_kms=velocity_kms)
    if found.fwhm > 0.5 * room or wide.value is None or wide.error is None:
        return found
    gained = abs(wide.value) - abs(found.ew)
    if wide.value * found.peak > 0 or gained < WINGS_SIGMA * wide.error:
        return found
    middle = centroid(spectrum, line, velocity_kms=velocity_kms)
    if middle.value is None or found.centroid is None:
        return found
    # A base shares the core's centre; what does not is a neighbour, such as [N II] beside Hα.
    apart = abs(middle.value - found.centroid) * abs(wide.value) / gained
    if apart > max(0.5 * found.fwhm, BASE_OFFSET * room):
        return replace(found, flags=(*found.flags, "neighbours"))
    return replace(
        found, ew=wide.value, ew_error=wide.error, window=wide.window, n_pixels=wide.n_pixels
    )


def _fixed_windows(
    spectrum: Spectrum, line: Line, found: LineMeasurement, velocity_kms: float
) -> LineMeasurement:
    """No profile fits: at least the area in the line's fixed windows."""
    area = equivalent_width(spectrum, line, velocity_kms=velocity_kms)
    return LineMeasurement(
        line.id,
        ew=area.value,
        ew_error=area.error,
        significance=area.significance,
        window=area.window,
        n_pixels=area.n_pixels,
        reason=area.reason or NO_PROFILE,
    )


def _upper_limit(
    spectrum: Spectrum, line: Line, shift: float, found: LineMeasurement
) -> LineMeasurement:
    """Nothing stands out: the area of a line of the instrument's width at the expected place."""
    sampling = sample(spectrum)
    centre = line.wavelength * shift
    pixel = pixel_width(sampling, centre)
    half = INNER * (lsf_fwhm(spectrum, centre) or DEFAULT_LSF_PX * pixel)
    outer = half + max(MIN_SIDE_A, MIN_SIDE_PX * pixel)
    blue = level(sampling, centre - outer, centre - half, CLIP)
    red = level(sampling, centre + half, centre + outer, CLIP)
    if isinstance(blue, str) or isinstance(red, str):
        return LineMeasurement(line.id, reason="no continuum beside the line")
    continuum = side_line(blue, red, CONTINUUM_SIGMA)
    if isinstance(continuum, str):
        return LineMeasurement(line.id, reason=continuum)
    window = (centre - half, centre + half)
    area = integrate_line(sampling, continuum, window)
    if isinstance(area, str):
        return LineMeasurement(line.id, window=window, reason=area)
    return LineMeasurement(
        line.id,
        ew=area.width / shift,
        ew_error=area.error / shift,
        significance=found.significance,
        window=window,
        n_pixels=int(sampling.good[sampling.slice(*window)].sum()),
        unsafe=unsafe_regions(spectrum, *window),
    )
