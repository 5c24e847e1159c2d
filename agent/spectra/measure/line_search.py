"""Finding the strongest line in a range and measuring it over a continuum of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from agent.spectra.instrument import lsf_fwhm, unsafe_regions
from agent.spectra.measure.continuum import continuum_of
from agent.spectra.measure.line_result import LineMeasurement
from agent.spectra.measure.profiles import (
    Candidate,
    ProfileFit,
    fit_profile,
    second_feature,
    strongest,
    twin_separation,
)
from agent.spectra.measure.sidebands import SideLine, integrate_line, level, side_line
from agent.spectra.sampling import LIGHT_KMS, PixelGrid, sample
from agent.spectra.spectrum import FloatArray, Spectrum, Window

DETECTION_SIGMA = 3.0
MAX_FWHM_KMS = 5500.0
WIDER = 1.3
"""A fit may come out this much wider than the widest filter."""
INNER, BESIDE = 1.7, 1.2
"""The area is taken to INNER FWHM from the centre, the continuum from the next BESIDE FWHM."""
WINGED_INNER = 2.4
WINGED, WINGED_SIGMA = 1.65, 20.0
"""A profile less flat than this exponent, and this clear, has wings that need more room."""
MIN_SIDE_A, MIN_SIDE_PX = 20.0, 10
BROAD_KMS = 500.0
CONTINUUM_SIGMA = 3.0
CLIP = 3.0
N_ROUNDS = 3
DEFAULT_LSF_PX = 2.5
"""Of an unresolved line where the resolution is not known."""
MAX_EXCESS = 1e6
UNSAFE_SHARE = 0.25
"""Part of a line's core that sky or telluric features must cover to spoil it."""
NO_PROFILE = "no profile fits"


@dataclass(frozen=True, eq=False)
class _Local:
    """The pixels of a line with their own continuum, as found around one candidate."""

    continuum: SideLine
    window: Window
    wavelength: FloatArray
    excess: FloatArray
    sigma: FloatArray
    fit: ProfileFit


def measure_feature(
    spectrum: Spectrum,
    near: Window,
    name: str,
    width_kms: float | None = None,
    rest: float | None = None,
    max_fwhm: float | None = None,
) -> LineMeasurement:
    """The strongest bump or dip centred in `near`, with a continuum of its own from both sides."""
    sampling = sample(spectrum)
    middle = 0.5 * (near[0] + near[1])
    inside = sampling.slice(*near)
    low, high = spectrum.range
    if not sampling.is_usable or not low < middle < high:
        return LineMeasurement(name, reason="outside the spectrum")
    if not sampling.good[inside].any():
        return LineMeasurement(name, reason="no good pixels")
    instrument = lsf_fwhm(spectrum, middle) or DEFAULT_LSF_PX * pixel_width(sampling, middle)
    widest = max_fwhm or middle * MAX_FWHM_KMS / LIGHT_KMS
    start = _first_guess(sampling, near, instrument, widest, width_kms)
    if isinstance(start, str):
        return LineMeasurement(name, reason=start)
    if start.significance < DETECTION_SIGMA:
        return LineMeasurement(name, significance=start.significance)
    local = _settle(sampling, start, instrument, WIDER * widest)
    if isinstance(local, str):
        return LineMeasurement(name, significance=start.significance, reason=local)
    return _describe(spectrum, sampling, local, name, instrument, rest)


def _first_guess(
    sampling: PixelGrid, near: Window, instrument: float, widest: float, width_kms: float | None
) -> Candidate | str:
    """The best matched filter on the spectrum over its pseudo-continuum."""
    middle = 0.5 * (near[0] + near[1])
    fixed = None if width_kms is None else max(middle * width_kms / LIGHT_KMS, instrument)
    where = sampling.slice(near[0] - 2 * widest, near[1] + 2 * widest)
    continuum = continuum_of(sampling)[where]
    sigma = np.where(sampling.good[where], sampling.sigma[where], np.inf)
    if continuum.size < 5:
        return "too few pixels"
    inside = slice(*np.searchsorted(sampling.wavelength[where], near).tolist())
    level_here = continuum[inside] if inside.stop > inside.start else continuum
    if not float(np.median(level_here)) > 0:
        return "the continuum is not above zero"
    # Elsewhere it may touch zero; such pixels say nothing about this line.
    usable = np.maximum(continuum, 0.05 * float(np.median(level_here)))
    with np.errstate(over="ignore"):
        excess = np.clip(sampling.flux[where] / usable - 1.0, -MAX_EXCESS, MAX_EXCESS)
        sigma = np.where(continuum > 0, sigma / usable, np.inf)
    best = strongest(
        sampling.wavelength[where],
        excess,
        np.minimum(sigma, 1e9),
        near,
        fixed or instrument,
        fixed or widest,
    )
    return "no pixel near the line" if best is None else best


def _settle(
    sampling: PixelGrid, start: Candidate, instrument: float, widest: float
) -> _Local | str:
    """Let the width, the side windows it asks for and the fit agree, in a few rounds."""
    local: _Local | str = NO_PROFILE
    reach = INNER
    for _ in range(N_ROUNDS):
        local = _around(sampling, start, instrument, reach)
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
        wanted = WINGED_INNER if has_wings else reach
        settled = abs(fit.fwhm / start.fwhm - 1.0) < 0.15 and wanted == reach
        start = Candidate(fit.centre, fit.fwhm, fit.amplitude, 0.0)
        reach = wanted
        if settled:
            break
    return local


def _around(sampling: PixelGrid, start: Candidate, instrument: float, reach: float) -> _Local | str:
    pixel = pixel_width(sampling, start.centre)
    inner = max(reach * start.fwhm, 1.5 * instrument, 3.0 * pixel)
    outer = inner + max(BESIDE * start.fwhm, MIN_SIDE_A, MIN_SIDE_PX * pixel)
    window = (start.centre - inner, start.centre + inner)
    if window[0] - 3 * pixel < sampling.edges[0] or window[1] + 3 * pixel > sampling.edges[-1]:
        return "at the edge of the spectrum"
    blue = level(sampling, start.centre - outer, window[0], CLIP)
    red = level(sampling, window[1], start.centre + outer, CLIP)
    if isinstance(blue, str) or isinstance(red, str):
        return "no continuum beside the line"
    line = side_line(blue, red, CONTINUUM_SIGMA)
    if isinstance(line, str):
        return line
    where = sampling.slice(*window)
    good = sampling.good[where]
    wavelength = sampling.wavelength[where][good]
    if wavelength.size < 5:
        return "too few good pixels"
    continuum = line.at(wavelength)
    if not continuum.min() > 0:
        return "the continuum falls below zero"
    excess = sampling.flux[where][good] / continuum - 1.0
    sigma = sampling.sigma[where][good] / continuum
    fit = fit_profile(wavelength, excess, sigma, start)
    if fit is None:
        return NO_PROFILE
    return _Local(line, window, wavelength, excess, sigma, fit)


def _describe(
    spectrum: Spectrum,
    sampling: PixelGrid,
    local: _Local,
    name: str,
    instrument: float,
    rest: float | None,
) -> LineMeasurement:
    fit = local.fit
    area = integrate_line(sampling, local.continuum, local.window)
    significance = abs(fit.amplitude) / max(fit.amplitude_error, 1e-12)
    n_pixels = int(local.wavelength.size)
    if isinstance(area, str):
        return LineMeasurement(
            name, window=local.window, n_pixels=n_pixels, significance=significance, reason=area
        )
    known_width = lsf_fwhm(spectrum, fit.centre)
    core = (fit.centre - 0.5 * fit.fwhm, fit.centre + 0.5 * fit.fwhm)
    separation = twin_separation(local.wavelength, local.excess, local.sigma, fit, instrument)
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
    elif second_feature(local.wavelength, local.excess, local.sigma, fit, instrument):
        flags.append("blended")
    if fit.fwhm < 2.0 * pixel_width(sampling, fit.centre):
        flags.append("undersampled")
    if not sampling.good[sampling.slice(*core)].all():
        flags.append("masked_core")
    unsafe = unsafe_regions(spectrum, *core, min_share=UNSAFE_SHARE)
    if unsafe:
        flags.append("unsafe")
    frame = 1.0 if rest is None else fit.centre / rest
    return LineMeasurement(
        line=name,
        ew=area.width / frame,
        ew_error=area.error / frame,
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


def pixel_width(sampling: PixelGrid, wavelength: float) -> float:
    at = int(np.clip(np.searchsorted(sampling.wavelength, wavelength), 0, sampling.width.size - 1))
    return float(sampling.width[at])
