"""Measures a known line near its expected wavelength, or its upper limit if it is absent."""

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
from agent.spectra.measure.sidebands import integrate_feature, linear_continuum, side_level
from agent.spectra.pixel_grid import LIGHT_KMS, doppler, pixel_grid
from agent.spectra.spectrum import Spectrum

SEARCH_KMS = 400.0
MAX_METAL_KMS = 1500.0
MAX_WINDOW_FWHM = 1.5
WINGS_SIGMA = 3.0
# Largest distance from the core to the centre of a broad base, relative to the window.
BASE_OFFSET = 0.06


def measure_line(
    spectrum: Spectrum,
    line: Line | str,
    velocity_kms: float = 0.0,
    width_kms: float | None = None,
    search_kms: float = SEARCH_KMS,
) -> LineMeasurement:
    """A line near its expected wavelength, in emission or absorption.

    `width_kms` is a first guess of its FWHM, which replaces a search from the instrument's width to
    5500 km/s. The centre is searched within `search_kms` of the expected one.
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
    max_fwhm = _max_fwhm(line, shift)
    result = measure_feature(spectrum, near, line.id, width_kms, line.wavelength, max_fwhm)
    if result.centroid is not None and result.fwhm is not None:
        if abs(result.centroid - expected) > max(1.2 * reach, 0.35 * result.fwhm):
            reason = "a stronger feature lies beside it"
            return LineMeasurement(line.id, significance=result.significance, reason=reason)
        return _with_wings(spectrum, line, result, velocity_kms)
    if result.reason == NO_PROFILE and line.window is not None:
        return _fixed_windows(spectrum, line, velocity_kms)
    return result if result.reason else _upper_limit(spectrum, line, shift, result)


def _max_fwhm(line: Line, shift: float) -> float:
    """Largest FWHM, in angstrom, of the line: a wider feature is a band or a blend."""
    if line.species == "H I":
        return line.wavelength * shift * MAX_FWHM_KMS / LIGHT_KMS
    if line.window is not None:
        return MAX_WINDOW_FWHM * (line.window[1] - line.window[0]) * shift
    return line.wavelength * shift * MAX_METAL_KMS / LIGHT_KMS


def _with_wings(
    spectrum: Spectrum, line: Line, core: LineMeasurement, velocity_kms: float
) -> LineMeasurement:
    """Take the equivalent width from the line's fixed windows if it is clearly larger there.

    If a narrow core has a broad base (polars, discs), its own side windows are on the base.
    """
    if line.window is None or core.ew is None or core.peak is None or core.fwhm is None:
        return core
    width = line.window[1] - line.window[0]
    wide = equivalent_width(spectrum, line, velocity_kms=velocity_kms)
    if core.fwhm > 0.5 * width or wide.value is None or wide.error is None:
        return core
    gained = abs(wide.value) - abs(core.ew)
    if wide.value * core.peak > 0 or gained < WINGS_SIGMA * wide.error:
        return core
    middle = centroid(spectrum, line, velocity_kms=velocity_kms)
    if middle.value is None or core.centroid is None:
        return core
    # A base has the same centre as the core; a neighbour, such as [N II] beside Hα, has not.
    offset = abs(middle.value - core.centroid) * abs(wide.value) / gained
    if offset > max(0.5 * core.fwhm, BASE_OFFSET * width):
        return replace(core, flags=(*core.flags, "neighbours"))
    return replace(
        core, ew=wide.value, ew_error=wide.error, window=wide.window, n_pixels=wide.n_pixels
    )


def _fixed_windows(spectrum: Spectrum, line: Line, velocity_kms: float) -> LineMeasurement:
    """The equivalent width in the line's fixed windows, for a line that no profile fits."""
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
    spectrum: Spectrum, line: Line, shift: float, undetected: LineMeasurement
) -> LineMeasurement:
    """The equivalent width of an unresolved line at the expected wavelength."""
    grid = pixel_grid(spectrum)
    centre = line.wavelength * shift
    pixel = pixel_width(grid, centre)
    half = INNER * (lsf_fwhm(spectrum, centre) or DEFAULT_LSF_PX * pixel)
    outer = half + max(MIN_SIDE_A, MIN_SIDE_PX * pixel)
    blue = side_level(grid, centre - outer, centre - half, CLIP)
    red = side_level(grid, centre + half, centre + outer, CLIP)
    if isinstance(blue, str) or isinstance(red, str):
        return LineMeasurement(line.id, reason="no continuum beside the line")
    continuum = linear_continuum(blue, red, CONTINUUM_SIGMA)
    if isinstance(continuum, str):
        return LineMeasurement(line.id, reason=continuum)
    window = (centre - half, centre + half)
    area = integrate_feature(grid, continuum, window)
    if isinstance(area, str):
        return LineMeasurement(line.id, window=window, reason=area)
    return LineMeasurement(
        line.id,
        ew=area.width / shift,
        ew_error=area.error / shift,
        significance=undetected.significance,
        window=window,
        n_pixels=int(grid.good[grid.slice(*window)].sum()),
        unsafe=unsafe_regions(spectrum, *window),
    )
