"""Finds the strongest line in a range and measures it relative to a local continuum."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from agent.spectra.instrument import lsf_fwhm, unsafe_regions
from agent.spectra.measure.continuum import continuum_of
from agent.spectra.measure.line_profile import (
    LineCandidate,
    ProfileFit,
    fit_profile,
    profile,
    strongest_feature,
)
from agent.spectra.measure.measurement import LineMeasurement
from agent.spectra.measure.sidebands import (
    FeatureArea,
    LinearContinuum,
    continuum_beside,
    integrate_feature,
)
from agent.spectra.measure.wings import MAX_GAIN, WingedLine, winged_line
from agent.spectra.pixel_grid import LIGHT_KMS, PixelGrid, median, pixel_grid
from agent.spectra.smoothing import smooth_gaussian
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum, Window

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
HYDROGEN_LSF = 1.2  # a narrower line is the instrument's
PRESSURE_KMS = 800.0  # no rotation makes absorption lines wider
N_ROUNDS = 3
# A Gaussian's area is 1.06 times depth times FWHM, a Lorentzian's 1.57.
FULLEST = 1.7
MAX_REACH = 3.0  # FWHM of the core, within which half depth is looked for
DEFAULT_LSF_PX = 2.5  # FWHM of an unresolved line if the resolution is unknown
MAX_EXCESS = 1e6  # where the continuum is next to nothing: its square stays finite
# Share of a line's core that sky or telluric features must cover to make it unsafe.
UNSAFE_SHARE = 0.25
NO_PROFILE = "no profile fits"
ON_HUMP = "on_hump"
# Height above the flux beside it of an emission line on a hump, and its significance.
MIN_PEAK, PEAK_SIGMA = 0.2, 8.0

HeightAndWidth = tuple[tuple[float, float], tuple[float, float]]  # each with its error


@dataclass(frozen=True, eq=False)
class _Local:
    """The pixels, local continuum and fit of one candidate."""

    continuum: LinearContinuum
    window: Window
    wavelength: FloatArray
    excess: FloatArray
    sigma: FloatArray
    fit: ProfileFit
    outer: Window  # from the start of the blue side window to the end of the red one


def measure_feature(
    spectrum: Spectrum,
    near: Window,
    name: str,
    widest: float,
    rest: float | None = None,
    *,
    is_hydrogen: bool = False,
    has_bands: bool = False,
) -> LineMeasurement:
    """The strongest bump or dip centred in `near`, measured relative to a local continuum.

    `widest` is the largest FWHM that is searched, in angstrom. Where the spectrum `has_bands`, a
    line of hydrogen goes before the hump between two of them, which is stronger.
    """
    grid = pixel_grid(spectrum)
    middle = 0.5 * (near[0] + near[1])
    inside = grid.slice(*near)
    low, high = spectrum.range
    if not grid.is_usable or not low < middle < high:
        return LineMeasurement(name, reason="outside the spectrum")
    if not grid.good[inside].any():
        return LineMeasurement(name, reason="no good pixels")
    lsf = lsf_fwhm(spectrum, middle) or DEFAULT_LSF_PX * pixel_width(grid, middle)
    start = _first_guess(grid, near, lsf, widest)
    if isinstance(start, str):
        return LineMeasurement(name, reason=start)
    if start.significance < DETECTION_SIGMA:
        return LineMeasurement(name, significance=start.significance)
    local = _iterate(grid, start, lsf, WIDER * widest)
    if isinstance(local, str):
        is_hump = local == NO_PROFILE
    else:
        is_hump = has_bands and _has_second_feature(local, lsf)
    peak = _peak_on_hump(grid, near, lsf) if is_hydrogen and is_hump else None
    local = peak or local
    if isinstance(local, str):
        return LineMeasurement(name, significance=start.significance, reason=local)
    found = _describe(spectrum, local, name, lsf, rest, is_hydrogen=is_hydrogen)
    return found if peak is None else replace(found, flags=(*found.flags, ON_HUMP))


def _peak_on_hump(grid: PixelGrid, near: Window, lsf: float) -> _Local | None:
    """A narrow emission line on a hump too wide to be a line, as between bands of TiO."""
    widest = max(0.5 * sum(near) * BROAD_KMS / LIGHT_KMS, 2.0 * lsf)
    start = _first_guess(grid, near, lsf, widest)
    if isinstance(start, str) or start.amplitude < MIN_PEAK:
        return None
    local = _iterate(grid, start, lsf, WIDER * widest)
    if isinstance(local, str):
        return None
    fit = local.fit
    is_clear = fit.amplitude > max(MIN_PEAK, PEAK_SIGMA * fit.amplitude_error)
    return local if is_clear and near[0] < fit.centre < near[1] else None


def _first_guess(grid: PixelGrid, near: Window, lsf: float, widest: float) -> LineCandidate | str:
    """The best matched filter on flux / pseudo-continuum."""
    where = grid.slice(near[0] - 2 * widest, near[1] + 2 * widest)
    continuum = continuum_of(grid)[where]
    sigma = np.where(grid.good[where], grid.sigma[where], np.inf)
    if continuum.size < 5:
        return "too few pixels"
    inside = slice(*np.searchsorted(grid.wavelength[where], near).tolist())
    level = median(continuum[inside] if inside.stop > inside.start else continuum)
    if not level > 0:
        return "the continuum is not above zero"
    # Outside `near` it may reach zero; such pixels get no weight.
    usable = np.maximum(continuum, 0.05 * level)
    with np.errstate(over="ignore"):
        excess = np.clip(grid.flux[where] / usable - 1.0, -MAX_EXCESS, MAX_EXCESS)
        sigma = np.where(continuum > 0, sigma / usable, np.inf)
    sigma = np.minimum(sigma, 1e9)  # a filter over infinite errors alone would divide by zero
    widths = lsf, widest
    best = strongest_feature(grid.wavelength[where], excess, sigma, near, widths)
    return "no pixel near the line" if best is None else best


def _iterate(grid: PixelGrid, start: LineCandidate, lsf: float, widest: float) -> _Local | str:
    """Repeat the fit with side windows that match its width until the width is stable."""
    local: _Local | str = NO_PROFILE
    reach = INNER
    for _ in range(N_ROUNDS):
        local = _fit_local(grid, start, lsf, reach)
        if isinstance(local, str):
            return local
        if local.fit.fwhm > widest:
            return NO_PROFILE
        fit = local.fit
        has_wings = (
            fit.peakedness < WINGED
            and fit.fwhm > 2.0 * lsf
            and abs(fit.amplitude) > WINGED_SIGMA * fit.amplitude_error
        )
        new_reach = WINGED_INNER if has_wings else reach
        is_stable = abs(fit.fwhm / start.fwhm - 1.0) < 0.15 and new_reach == reach
        start = LineCandidate(fit.centre, fit.fwhm, fit.amplitude, 0.0)
        reach = new_reach
        if is_stable:
            break
    return local


def _fit_local(grid: PixelGrid, start: LineCandidate, lsf: float, reach: float) -> _Local | str:
    pixel = pixel_width(grid, start.centre)
    inner = max(reach * start.fwhm, 1.5 * lsf, 3.0 * pixel)
    outer = inner + max(BESIDE * start.fwhm, MIN_SIDE_A, MIN_SIDE_PX * pixel)
    window = (start.centre - inner, start.centre + inner)
    if window[0] - 3 * pixel < grid.edges[0] or window[1] + 3 * pixel > grid.edges[-1]:
        return "at the edge of the spectrum"
    sides = (start.centre - outer, start.centre + outer)
    line = continuum_beside(grid, (sides[0], window[0]), (window[1], sides[1]), "line")
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
    return _Local(line, window, wavelength, excess, sigma, fit, sides)


def _describe(
    spectrum: Spectrum,
    local: _Local,
    name: str,
    lsf: float,
    rest: float | None,
    *,
    is_hydrogen: bool,
) -> LineMeasurement:
    grid, fit = pixel_grid(spectrum), local.fit
    area = integrate_feature(grid, local.continuum, local.window)
    significance = abs(fit.amplitude) / max(fit.amplitude_error, 1e-12)
    n_pixels = int(local.wavelength.size)
    if isinstance(area, str):
        return LineMeasurement(
            name, window=local.window, n_pixels=n_pixels, significance=significance, reason=area
        )
    known_width = lsf_fwhm(spectrum, fit.centre)
    core = (fit.centre - 0.5 * fit.fwhm, fit.centre + 0.5 * fit.fwhm)
    separation, split = _split_line(local, lsf)
    kms = LIGHT_KMS / fit.centre
    flags = []
    if known_width is not None and fit.fwhm - 2 * fit.fwhm_error < 1.1 * known_width:
        flags.append("unresolved")
    elif kms * math.sqrt(max(fit.fwhm**2 - (known_width or 0.0) ** 2, 0.0)) > BROAD_KMS:
        flags.append("broad")
    if separation is not None:
        flags.append("double_peaked")
    elif _has_second_feature(local, lsf):
        flags.append("blended")
    if fit.fwhm < 2.0 * pixel_width(grid, fit.centre):  # below the rate of Nyquist
        flags.append("undersampled")
    if not grid.good[grid.slice(*core)].all():
        flags.append("masked_core")
    unsafe = unsafe_regions(spectrum, *core, min_share=UNSAFE_SHARE)
    if unsafe:
        flags.append("unsafe")
    frame = 1.0 if rest is None else fit.centre / rest
    ew, ew_error = area.width, area.error
    peak, peak_error = fit.amplitude, fit.amplitude_error
    fwhm, fwhm_error = fit.fwhm, fit.fwhm_error
    if split is not None:
        (height, peak_error), (fwhm, fwhm_error) = split
        peak = math.copysign(height, peak)
    peak_error = _with_level(peak, peak_error, local.continuum, fit.centre)
    if (winged := _winged(grid, local, area, lsf, is_hydrogen=is_hydrogen)) is not None:
        ew, ew_error = mean_of(winged.share, winged.ew, winged.ew_error, ew, ew_error)
        peak, peak_error = mean_of(
            winged.share, -winged.depth, winged.depth_error, peak, peak_error
        )
        fwhm, fwhm_error = mean_of(winged.share, winged.fwhm, winged.fwhm_error, fwhm, fwhm_error)
    return LineMeasurement(
        name, ew=ew / frame, ew_error=ew_error / frame,
        centroid=fit.centre, centroid_error=fit.centre_error,
        velocity_kms=None if rest is None else LIGHT_KMS * (frame - 1.0),
        velocity_error_kms=None if rest is None else kms * fit.centre_error,
        fwhm=fwhm, fwhm_error=fwhm_error,
        fwhm_kms=kms * math.sqrt(max(fwhm**2 - (known_width or 0.0) ** 2, 0.0)),
        peak=peak, peak_error=peak_error, significance=significance,
        separation_kms=None if separation is None else kms * separation,
        window=local.window, n_pixels=n_pixels, flags=tuple(flags), unsafe=unsafe,
    )  # fmt: skip


def _winged(
    grid: PixelGrid, local: _Local, area: FeatureArea, lsf: float, *, is_hydrogen: bool
) -> WingedLine | None:
    """An absorption line with the wings that window and continuum miss; None if it has none.

    Lines of hydrogen have them at any width, others only if they are as wide as pressure makes
    them.
    """
    fit = local.fit
    least = HYDROGEN_LSF * lsf
    if not is_hydrogen:
        least = max(2.0 * lsf, fit.centre * PRESSURE_KMS / LIGHT_KMS)
    if fit.amplitude > 0 or fit.fwhm < least:
        return None

    def plain(wavelength: FloatArray) -> FloatArray:
        shape = profile(wavelength, fit.amplitude, fit.centre, fit.fwhm, fit.peakedness)
        return np.asarray(local.continuum.at(wavelength) * (1.0 + shape))

    whole = winged_line(grid, local.outer, fit.centre, fit.fwhm, -fit.amplitude, lsf, plain)
    if whole is None or not area.width / MAX_GAIN < whole.ew < MAX_GAIN * area.width:
        return None
    return whole


def mean_of(
    share: float, first: float, its: float, second: float, other: float
) -> tuple[float, float]:
    """The mean of two values with errors, each as far as it is likely, and its error."""
    mean = share * first + (1.0 - share) * second
    variance = share * its**2 + (1.0 - share) * other**2
    return mean, math.sqrt(variance + share * (1.0 - share) * (first - second) ** 2)


def _with_level(peak: float, error: float, continuum: LinearContinuum, centre: float) -> float:
    """The error of a line's height, with the part that comes from the continuum's error."""
    sides = math.hypot(continuum.blue.error, continuum.red.error)
    by_level = 0.5 * sides / float(continuum.at(np.array([centre]))[0])
    return math.hypot(error, (1.0 + peak) * by_level)


def under_continuum(
    spectrum: Spectrum, line: LineMeasurement, continuum: LinearContinuum
) -> LineMeasurement:
    """Take depth and width at half depth from the continuum that the line's area has.

    A core measured on a continuum within the wings is too shallow and too narrow for that area.
    """
    grid = pixel_grid(spectrum)
    assert line.centroid is not None and line.fwhm is not None and line.peak is not None
    centre, sign = line.centroid, math.copysign(1.0, line.peak)
    reach = MAX_REACH * line.fwhm
    where = grid.slice(centre - reach, centre + reach)
    good = grid.good[where]
    x = grid.wavelength[where][good]
    if x.size < 7:
        return line
    level = continuum.at(x)
    if not level.min() > 0:
        return line
    height, noise = sign * (grid.flux[where][good] / level - 1.0), grid.sigma[where][good] / level
    # Over a fifth of the width: with more, the core of a line with a base would lose its top.
    kernel = max(line.fwhm / 5.0, 1.5 * median(np.diff(x)))
    found = _at_half_height(x, height, noise, (centre, centre), kernel)
    if found is None:
        return line
    (top, top_error), (fwhm, fwhm_error) = found
    top_error = _with_level(sign * top, top_error, continuum, centre)
    known = lsf_fwhm(spectrum, centre) or 0.0
    kms = LIGHT_KMS / centre * math.sqrt(max(fwhm**2 - known**2, 0.0))
    return replace(
        line, peak=sign * top, peak_error=top_error, fwhm=fwhm, fwhm_error=fwhm_error, fwhm_kms=kms
    )


def _at_half_height(
    x: FloatArray, height: FloatArray, noise: FloatArray, tops: Window, kernel: float
) -> HeightAndWidth | None:
    """The mean height at two places, and the width at half of it around them, with their errors."""
    everywhere, kernel_px = np.ones(x.size, dtype=np.bool_), kernel / median(np.diff(x))
    smooth = smooth_gaussian(height, everywhere, kernel_px)
    # What the filter takes from peaks and flanks it takes again: this gives it back.
    smooth = 2.0 * smooth - smooth_gaussian(smooth, everywhere, kernel_px)
    # A Gaussian of FWHM k averages 2 sqrt(pi) k / 2.355 = 1.5 k pixels; giving back adds a fifth.
    error = 1.2 * median(noise) / math.sqrt(max(1.0, 1.5 * kernel_px))
    top = 0.5 * sum(_height_near(smooth, int(np.abs(x - each).argmin())) for each in tops)
    blue, red = (_crossing(x, smooth, tops[max(side, 0)], 0.5 * top, side) for side in (-1, 1))
    if blue is None or red is None or not top > 0:
        return None
    # A wrong top moves both ends outwards.
    by_top = 0.5 * error * (1.0 / blue[1] + 1.0 / red[1])
    fwhm_error = math.hypot(error / blue[1], error / red[1], by_top)
    return (top, error), (red[0] - blue[0], fwhm_error)


def _height_near(values: FloatArray, at: int) -> float:
    """Of the parabola through three values, at its vertex: the top lies between two pixels."""
    at = min(max(at, 1), values.size - 2)
    before, here, after = values[at - 1 : at + 2].tolist()
    bend = before - 2.0 * here + after
    away = min(max(0.5 * (before - after) / bend, -0.5), 0.5) if bend else 0.0
    return float(here + 0.5 * (after - before) * away + 0.5 * bend * away**2)


def is_too_full(line: LineMeasurement, frame: float) -> bool:
    """Whether an absorption line has more area than a curve of its depth and width can hold."""
    if line.ew is None or line.fwhm is None or line.peak is None or line.peak > 0:
        return False
    return line.ew * frame > FULLEST * abs(line.peak) * line.fwhm


def _crossing(
    x: FloatArray, height: FloatArray, centre: float, level: float, side: int
) -> tuple[float, float] | None:
    """Where a profile first falls below a level on one side of the centre, and how steeply."""
    order = np.flatnonzero(x >= centre) if side > 0 else np.flatnonzero(x <= centre)[::-1]
    below = np.flatnonzero(height[order] < level)
    if not below.size or below[0] == 0:
        return None
    inner, outer = order[below[0] - 1], order[below[0]]
    fall = float(height[inner] - height[outer])
    share = float(height[inner] - level) / fall
    return float(x[inner] + share * (x[outer] - x[inner])), fall / abs(float(x[outer] - x[inner]))


def pixel_width(grid: PixelGrid, wavelength: float) -> float:
    pixel = int(np.clip(np.searchsorted(grid.wavelength, wavelength), 0, grid.width.size - 1))
    return float(grid.width[pixel])


DIP_SIGMA = 4.0
MIN_DIP = 0.12  # depth of the dip between two peaks, relative to the lower one
FLAT = 3.5  # a profile with a larger exponent has two peaks that the instrument has joined
MIN_SECOND = 0.3
SECOND_SIGMA = 5.0


def _split_line(local: _Local, lsf: float) -> tuple[float | None, HeightAndWidth | None]:
    """Angstrom between the peaks of a double-peaked line; height and FWHM of it or of a flat one.

    No single profile has either. None for a single peak.
    """
    fit = local.fit
    if fit.fwhm < 2.0 * lsf:
        return None, None
    height = np.sign(fit.amplitude) * local.excess
    kernel = max(0.5 * lsf, fit.fwhm / 6.0)
    inside = np.abs(local.wavelength - fit.centre) < 0.9 * fit.fwhm
    x, noise = local.wavelength[inside], local.sigma[inside]
    if x.size < 7:
        return None, None
    step = median(np.diff(x))
    # Smoothing over a sixth of the width reduces noise but keeps peaks half a width apart.
    kernel_px = kernel / step
    smooth = smooth_gaussian(height[inside], np.ones(x.size, dtype=np.bool_), kernel_px)
    # A Gaussian of FWHM k averages 2 sqrt(pi) k / 2.355 = 1.5 k pixels.
    error = median(noise) / np.sqrt(max(1.0, 1.5 * kernel_px))
    left, right = _highest(smooth, x < fit.centre), _highest(smooth, x >= fit.centre)
    if right - left < 2:
        return None, None
    bottom = float(smooth[left : right + 1].min())
    lower = float(min(smooth[left], smooth[right]))
    dip = lower - bottom
    is_single = dip < max(DIP_SIGMA * error, MIN_DIP * lower) or lower < 0.5 * abs(fit.amplitude)
    if is_single and fit.peakedness < FLAT:
        return None, None
    tops = float(x[left]), float(x[right])
    found = _at_half_height(local.wavelength, height, local.sigma, tops, kernel)
    return None if is_single else tops[1] - tops[0], found


def _has_second_feature(local: _Local, lsf: float) -> bool:
    """Whether the residuals of the fit contain another line."""
    fit = local.fit
    near = (fit.centre - 1.5 * fit.fwhm, fit.centre + 1.5 * fit.fwhm)
    residual, widths = local.excess - fit.model, (lsf, max(lsf, 0.8 * fit.fwhm))
    second = strongest_feature(local.wavelength, residual, local.sigma, near, widths)
    return (
        second is not None
        and second.significance > SECOND_SIGMA
        and abs(second.amplitude) > MIN_SECOND * abs(fit.amplitude)
    )


def _highest(values: FloatArray, where: BoolArray) -> int:
    return int(np.argmax(np.where(where, values, -np.inf)))
