"""Finds the strongest line in a range and measures it relative to a local continuum."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from agent.spectra.instrument import lsf_fwhm, unsafe_regions
from agent.spectra.measure.continuum import continuum_of
from agent.spectra.measure.line_result import LineMeasurement
from agent.spectra.measure.profiles import (
    LineCandidate,
    ProfileFit,
    double_peak_separation,
    fit_profile,
    has_second_feature,
    profile,
    strongest_feature,
)
from agent.spectra.measure.sidebands import (
    FeatureArea,
    LinearContinuum,
    integrate_feature,
    linear_continuum,
    side_level,
)
from agent.spectra.measure.wings import MAX_GAIN, winged_width
from agent.spectra.pixel_grid import LIGHT_KMS, PixelGrid, median, pixel_grid
from agent.spectra.spectrum import FloatArray, Spectrum, Window

DETECTION_SIGMA = 3.0
MAX_FWHM_KMS = 5500.0
WIDER = 1.3  # a fit may be wider than the widest filter by this factor
# The area reaches INNER FWHM from the centre, the continuum another BESIDE FWHM.
INNER, BESIDE = 1.7, 1.2
WINGED_INNER = 2.4
# A profile with a smaller exponent and this significance has wings: WINGED_INNER applies.
WINGED, WINGED_SIGMA = 1.65, 20.0
MIN_SIDE_A, MIN_SIDE_PX = 20.0, 10
BROAD_KMS = 500.0
PRESSURE_KMS = 800.0  # no rotation makes absorption lines wider
CONTINUUM_SIGMA = 3.0
CLIP = 3.0
N_ROUNDS = 3
DEFAULT_LSF_PX = 2.5  # FWHM of an unresolved line if the resolution is unknown
MAX_EXCESS = 1e6  # where the continuum is next to nothing: its square stays finite
# Share of a line's core that sky or telluric features must cover to make it unsafe.
UNSAFE_SHARE = 0.25
NO_PROFILE = "no profile fits"


@dataclass(frozen=True, eq=False)
class _Local:
    """The pixels, local continuum and fit of one candidate."""

    continuum: LinearContinuum
    window: Window
    wavelength: FloatArray
    excess: FloatArray
    sigma: FloatArray
    fit: ProfileFit
    outer: Window
    """From the start of the blue side window to the end of the red one."""


def measure_feature(
    spectrum: Spectrum,
    near: Window,
    name: str,
    width_kms: float | None = None,
    rest: float | None = None,
    max_fwhm: float | None = None,
) -> LineMeasurement:
    """The strongest bump or dip centred in `near`, measured relative to a local continuum."""
    grid = pixel_grid(spectrum)
    middle = 0.5 * (near[0] + near[1])
    inside = grid.slice(*near)
    low, high = spectrum.range
    if not grid.is_usable or not low < middle < high:
        return LineMeasurement(name, reason="outside the spectrum")
    if not grid.good[inside].any():
        return LineMeasurement(name, reason="no good pixels")
    instrument = lsf_fwhm(spectrum, middle) or DEFAULT_LSF_PX * pixel_width(grid, middle)
    widest = max_fwhm or middle * MAX_FWHM_KMS / LIGHT_KMS
    start = _first_guess(grid, near, instrument, widest, width_kms)
    if isinstance(start, str):
        return LineMeasurement(name, reason=start)
    if start.significance < DETECTION_SIGMA:
        return LineMeasurement(name, significance=start.significance)
    local = _iterate(grid, start, instrument, WIDER * widest)
    if isinstance(local, str):
        return LineMeasurement(name, significance=start.significance, reason=local)
    return _describe(spectrum, grid, local, name, instrument, rest)


def _first_guess(
    grid: PixelGrid, near: Window, instrument: float, widest: float, width_kms: float | None
) -> LineCandidate | str:
    """The best matched filter on flux / pseudo-continuum."""
    middle = 0.5 * (near[0] + near[1])
    fixed = None if width_kms is None else max(middle * width_kms / LIGHT_KMS, instrument)
    where = grid.slice(near[0] - 2 * widest, near[1] + 2 * widest)
    continuum = continuum_of(grid)[where]
    sigma = np.where(grid.good[where], grid.sigma[where], np.inf)
    if continuum.size < 5:
        return "too few pixels"
    inside = slice(*np.searchsorted(grid.wavelength[where], near).tolist())
    level_here = continuum[inside] if inside.stop > inside.start else continuum
    level = median(level_here)
    if not level > 0:
        return "the continuum is not above zero"
    # Outside `near` it may reach zero; such pixels get no weight.
    usable = np.maximum(continuum, 0.05 * level)
    with np.errstate(over="ignore"):
        excess = np.clip(grid.flux[where] / usable - 1.0, -MAX_EXCESS, MAX_EXCESS)
        sigma = np.where(continuum > 0, sigma / usable, np.inf)
    best = strongest_feature(
        grid.wavelength[where],
        excess,
        np.minimum(sigma, 1e9),  # a filter over infinite errors alone would divide by zero
        near,
        fixed or instrument,
        fixed or widest,
    )
    return "no pixel near the line" if best is None else best


def _iterate(
    grid: PixelGrid, start: LineCandidate, instrument: float, widest: float
) -> _Local | str:
    """Repeat the fit with side windows that match its width until the width is stable."""
    local: _Local | str = NO_PROFILE
    reach = INNER
    for _ in range(N_ROUNDS):
        local = _fit_local(grid, start, instrument, reach)
        if isinstance(local, str):
            return local
        if local.fit.fwhm > widest:
            return NO_PROFILE
        fit = local.fit
        has_wings = (
            fit.peakedness < WINGED
            and fit.fwhm > 2.0 * instrument
            and abs(fit.amplitude) > WINGED_SIGMA * fit.amplitude_error
        )
        new_reach = WINGED_INNER if has_wings else reach
        is_stable = abs(fit.fwhm / start.fwhm - 1.0) < 0.15 and new_reach == reach
        start = LineCandidate(fit.centre, fit.fwhm, fit.amplitude, 0.0)
        reach = new_reach
        if is_stable:
            break
    return local


def _fit_local(
    grid: PixelGrid, start: LineCandidate, instrument: float, reach: float
) -> _Local | str:
    pixel = pixel_width(grid, start.centre)
    inner = max(reach * start.fwhm, 1.5 * instrument, 3.0 * pixel)
    outer = inner + max(BESIDE * start.fwhm, MIN_SIDE_A, MIN_SIDE_PX * pixel)
    window = (start.centre - inner, start.centre + inner)
    if window[0] - 3 * pixel < grid.edges[0] or window[1] + 3 * pixel > grid.edges[-1]:
        return "at the edge of the spectrum"
    blue = side_level(grid, start.centre - outer, window[0], CLIP)
    red = side_level(grid, window[1], start.centre + outer, CLIP)
    if isinstance(blue, str) or isinstance(red, str):
        return "no continuum beside the line"
    line = linear_continuum(blue, red, CONTINUUM_SIGMA)
    if isinstance(line, str):
        return line
    where = grid.slice(*window)
    good = grid.good[where]
    wavelength = grid.wavelength[where][good]
    if wavelength.size < 5:
        return "too few good pixels"
    continuum = line.at(wavelength)
    if not continuum.min() > 0:
        return "the continuum falls below zero"
    excess = grid.flux[where][good] / continuum - 1.0
    sigma = grid.sigma[where][good] / continuum
    fit = fit_profile(wavelength, excess, sigma, start)
    if fit is None:
        return NO_PROFILE
    sides = (start.centre - outer, start.centre + outer)
    return _Local(line, window, wavelength, excess, sigma, fit, sides)


def _describe(
    spectrum: Spectrum,
    grid: PixelGrid,
    local: _Local,
    name: str,
    instrument: float,
    rest: float | None,
) -> LineMeasurement:
    fit = local.fit
    area = integrate_feature(grid, local.continuum, local.window)
    significance = abs(fit.amplitude) / max(fit.amplitude_error, 1e-12)
    n_pixels = int(local.wavelength.size)
    if isinstance(area, str):
        return LineMeasurement(
            name, window=local.window, n_pixels=n_pixels, significance=significance, reason=area
        )
    known_width = lsf_fwhm(spectrum, fit.centre)
    core = (fit.centre - 0.5 * fit.fwhm, fit.centre + 0.5 * fit.fwhm)
    separation = double_peak_separation(
        local.wavelength, local.excess, local.sigma, fit, instrument
    )
    kms = LIGHT_KMS / fit.centre
    width_kms = kms * math.sqrt(max(fit.fwhm**2 - (known_width or 0.0) ** 2, 0.0))
    flags = []
    if known_width is not None and fit.fwhm - 2 * fit.fwhm_error < 1.1 * known_width:
        flags.append("unresolved")
        width_kms = 0.0 if fit.fwhm < known_width else width_kms
    elif width_kms > BROAD_KMS:
        flags.append("broad")
    if separation is not None:
        flags.append("double_peaked")
    elif has_second_feature(local.wavelength, local.excess, local.sigma, fit, instrument):
        flags.append("blended")
    if fit.fwhm < 2.0 * pixel_width(grid, fit.centre):  # below the rate of Nyquist
        flags.append("undersampled")
    if not grid.good[grid.slice(*core)].all():
        flags.append("masked_core")
    unsafe = unsafe_regions(spectrum, *core, min_share=UNSAFE_SHARE)
    if unsafe:
        flags.append("unsafe")
    frame = 1.0 if rest is None else fit.centre / rest
    ew, ew_error = _with_far_wings(grid, local, area, instrument)
    return LineMeasurement(
        line=name,
        ew=ew / frame,
        ew_error=ew_error / frame,
        centroid=fit.centre,
        centroid_error=fit.centre_error,
        velocity_kms=None if rest is None else LIGHT_KMS * (frame - 1.0),
        velocity_error_kms=None if rest is None else kms * fit.centre_error,
        fwhm=fit.fwhm,
        fwhm_error=fit.fwhm_error,
        fwhm_kms=width_kms,
        peak=fit.amplitude,
        significance=significance,
        separation_kms=None if separation is None else kms * separation,
        window=local.window,
        n_pixels=n_pixels,
        flags=tuple(flags),
        unsafe=unsafe,
    )


def _with_far_wings(
    grid: PixelGrid, local: _Local, area: FeatureArea, instrument: float
) -> tuple[float, float]:
    """The equivalent width and its error, with the wings that window and continuum miss.

    Absorption this wide is broadened by pressure. Both profiles count as far as they fit.
    """
    fit = local.fit
    wide = max(2.0 * instrument, fit.centre * PRESSURE_KMS / LIGHT_KMS)
    if fit.amplitude > 0 or fit.fwhm < wide:
        return area.width, area.error

    def plain(wavelength: FloatArray) -> FloatArray:
        shape = profile(wavelength, fit.amplitude, fit.centre, fit.fwhm, fit.peakedness)
        return np.asarray(local.continuum.at(wavelength) * (1.0 + shape))

    whole = winged_width(grid, local.outer, fit.centre, fit.fwhm, -fit.amplitude, plain)
    if whole is None or not area.width < whole.width < MAX_GAIN * area.width:
        return area.width, area.error
    share = whole.share
    mean = share * whole.width + (1.0 - share) * area.width
    variance = share * whole.error**2 + (1.0 - share) * area.error**2
    variance += share * (1.0 - share) * (whole.width - area.width) ** 2
    return mean, math.sqrt(variance)


def pixel_width(grid: PixelGrid, wavelength: float) -> float:
    pixel = int(np.clip(np.searchsorted(grid.wavelength, wavelength), 0, grid.width.size - 1))
    return float(grid.width[pixel])
