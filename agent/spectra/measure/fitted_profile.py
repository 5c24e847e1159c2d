"""Measures a line between two points of the continuum, and fits a profile to it."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from agent.errors import WorkbenchError
from agent.spectra.pixel_grid import LIGHT_KMS, MIN_SIGMA, pixel_edges
from agent.spectra.smoothing import FWHM_PER_SIGMA
from agent.spectra.spectrum import FloatArray, Spectrum, Window

Shape = Literal["gaussian", "voigt"]
Reason = Literal[
    "no_pixels", "not_positive", "noise", "wide", "narrow", "edge", "wings", "diverged"
]
SIGNIFICANT = 5.0
"""Equivalent widths of fewer of their errors are what noise alone gives somewhere in a range."""
WIDEST = 0.7  # a FWHM above this fraction of the range leaves no continuum to tell the line from
NARROWEST_PX = 0.8
LEAST_PART_PX = 0.1
"""Least width of either part of a Voigt profile; with that of the Lorentzian it is a Gaussian."""
POOR = 2.0  # a reduced chi-squared above this means another shape, or more than one line
CURVE_POINTS = 240
MAX_STEPS = 500
GAUSS_AREA = float(np.sqrt(np.pi / (4.0 * np.log(2.0))))
"""Of a Gaussian of unit height and unit FWHM."""


class FitError(WorkbenchError):
    """A line that cannot be fitted; `reason` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(f"the line cannot be fitted: {reason.replace('_', ' ')}")
        self.reason = reason


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedProfile:
    """Observed vacuum angstrom and km/s with 1-sigma errors; EW > 0 is absorption.

    The errors include that of the continuum's two points. The width includes the instrument's.
    """

    shape: Shape
    centre: float
    centre_error: float
    fwhm: float
    fwhm_error: float
    ew: float
    ew_error: float
    reduced_chi2: float | None
    """None where the file gives no errors; those of the fit are then from its residuals."""
    wavelength: FloatArray
    flux: FloatArray  # the profile on its continuum, in the flux of the file, to be drawn

    @property
    def is_poor(self) -> bool:
        return self.reduced_chi2 is not None and self.reduced_chi2 > POOR

    @property
    def fwhm_kms(self) -> float:
        return self.fwhm / self.centre * LIGHT_KMS

    @property
    def fwhm_kms_error(self) -> float:
        return self.fwhm_error / self.centre * LIGHT_KMS


def fit_profile(
    spectrum: Spectrum, left: tuple[float, float], right: tuple[float, float], shape: Shape
) -> FittedProfile:
    """Fit flux / continuum - 1 between two points, each a wavelength and a flux.

    The straight continuum between them is held. Raises FitError where there is no such line.
    """
    low, high = left[0], right[0]
    inside = (spectrum.wavelength >= low) & (spectrum.wavelength <= high) & spectrum.good
    wavelength = spectrum.wavelength[inside]
    profile = _gaussian if shape == "gaussian" else _voigt
    n_free = 3 if shape == "gaussian" else 4
    if wavelength.size < n_free + 3:
        raise FitError("no_pixels")
    continuum = np.interp(wavelength, (low, high), (left[1], right[1]))
    if not (continuum > 0).all():
        raise FitError("not_positive")
    level = spectrum.flux[inside] / continuum
    sigma = None if spectrum.sigma is None else spectrum.sigma[inside] / continuum
    pixel = float(np.median(np.diff(wavelength)))
    start, bounds = _guess(shape, wavelength, level - 1.0, (low, high), pixel)
    best, covariance = _fitted(profile, wavelength, level - 1.0, sigma, start, bounds)
    residual = level - 1.0 - profile(wavelength, *best)
    n_left = wavelength.size - n_free
    noise = sigma
    if noise is None:
        rms = np.sqrt(np.sum(residual**2) / n_left)
        noise = np.full(wavelength.size, max(float(rms), MIN_SIGMA))
    slopes = _slopes(lambda values: profile(wavelength, *values), best)
    moved = [slopes.T @ (each / noise**2) for each in _continuum_errors(wavelength, level, noise)]
    shifts = covariance @ np.stack(moved, axis=1)
    covariance = covariance + shifts @ shifts.T
    fwhm, ew = _width_and_ew(best).tolist()
    steps = _slopes(_width_and_ew, best)
    fwhm_error, ew_error = np.sqrt(np.diag(steps @ covariance @ steps.T)).tolist()
    if not abs(ew) >= SIGNIFICANT * ew_error:
        raise FitError("noise")
    if reason := _why_not(best, (low, high), pixel, fwhm):
        raise FitError(reason)
    drawn = np.linspace(low, high, CURVE_POINTS)
    below = np.interp(drawn, (low, high), (left[1], right[1]))
    return FittedProfile(
        shape=shape, centre=float(best[0]), centre_error=float(np.sqrt(covariance[0, 0])),
        fwhm=fwhm, fwhm_error=fwhm_error, ew=ew, ew_error=ew_error,
        reduced_chi2=None if sigma is None else float(np.sum((residual / sigma) ** 2) / n_left),
        wavelength=drawn, flux=below * (1.0 + profile(drawn, *best)),
    )  # fmt: skip


def _gaussian(wavelength: FloatArray, centre: float, area: float, fwhm: float) -> FloatArray:
    height = area / (GAUSS_AREA * fwhm)
    return np.asarray(height * np.exp(-4.0 * np.log(2.0) * ((wavelength - centre) / fwhm) ** 2))


def _voigt(
    wavelength: FloatArray, centre: float, area: float, gauss: float, lorentz: float
) -> FloatArray:
    """`gauss` and `lorentz` are the FWHM of the two parts."""
    from scipy.special import voigt_profile  # takes 0.2 s to import

    values = voigt_profile(wavelength - centre, gauss / FWHM_PER_SIGMA, 0.5 * lorentz)
    return np.asarray(area * values)


def _width_and_ew(parameters: FloatArray) -> FloatArray:
    _, area, gauss, *rest = parameters.tolist()
    if not rest:
        return np.array([gauss, -area])
    (lorentz,) = rest
    # Olivero & Longbothum (1977): good to 0.02 %.
    fwhm = 0.5346 * lorentz + np.sqrt(0.2166 * lorentz**2 + gauss**2)
    return np.array([fwhm, -area])


def _guess(
    shape: Shape, wavelength: FloatArray, excess: FloatArray, ends: Window, pixel: float
) -> tuple[list[float], tuple[list[float], list[float]]]:
    """Start at the strongest broad excess, a sixth of the range wide; and the bounds."""
    width = (ends[1] - ends[0]) / 6.0
    kernel = np.exp(-4.0 * np.log(2.0) * ((wavelength[:, None] - wavelength) / width) ** 2)
    smooth = kernel @ excess / kernel.sum(axis=1)
    top = int(np.argmax(np.abs(smooth)))
    # A Voigt profile of these two is 0.94 as wide.
    widths = [width] if shape == "gaussian" else [0.7 * width, 0.4 * width]
    least = LEAST_PART_PX * pixel
    start = [float(wavelength[top]), float(smooth[top]) * GAUSS_AREA * width, *widths]
    lowest = [ends[0], -np.inf, *(least for _ in widths)]
    return start, (lowest, [ends[1], np.inf, *(2.0 * (ends[1] - ends[0]) for _ in widths)])


def _fitted(
    profile: Callable[..., FloatArray],
    wavelength: FloatArray,
    excess: FloatArray,
    sigma: FloatArray | None,
    start: list[float],
    bounds: tuple[list[float], list[float]],
) -> tuple[FloatArray, FloatArray]:
    """The best parameters and their covariance; without errors, that of the residuals."""
    from scipy.optimize import OptimizeWarning, curve_fit

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OptimizeWarning)  # the covariance is then infinite
            best, covariance = curve_fit(
                profile, wavelength, excess, start, sigma, absolute_sigma=sigma is not None,
                bounds=bounds, max_nfev=MAX_STEPS, x_scale="jac",
            )  # fmt: skip
    except (RuntimeError, ValueError, np.linalg.LinAlgError) as error:
        raise FitError("diverged") from error
    if not np.isfinite(covariance).all():
        raise FitError("diverged")
    return best, covariance


def _slopes(function: Callable[[FloatArray], FloatArray], parameters: FloatArray) -> FloatArray:
    """Derivatives over each parameter, one column for each."""
    columns = []
    for number, value in enumerate(parameters):
        step = np.zeros(parameters.size)
        # Near the cube root of a double's precision, which is best for central differences.
        step[number] = 1e-6 * max(abs(value), 1e-3)
        change = function(parameters + step) - function(parameters - step)
        columns.append(change / (2.0 * step[number]))
    return np.stack(columns, axis=1)


def _continuum_errors(
    wavelength: FloatArray, level: FloatArray, noise: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What an error of each of the two points of the continuum does to the level."""
    towards = (wavelength - wavelength[0]) / (wavelength[-1] - wavelength[0])
    # The median of n values has an error of sqrt(pi / 2 n) of one.
    of_point = float(np.median(noise)) * np.sqrt(0.5 * np.pi / (2 * POINT_PX + 1))
    return level * (1.0 - towards) * of_point, level * towards * of_point


def _why_not(parameters: FloatArray, ends: Window, pixel: float, fwhm: float) -> Reason | None:
    """What speaks against the fit of a line that is there."""
    centre, _, *widths = parameters.tolist()
    if min(centre - ends[0], ends[1] - centre) < pixel:
        return "edge"
    if fwhm > WIDEST * (ends[1] - ends[0]):
        return "wide"
    if fwhm < NARROWEST_PX * pixel:
        return "narrow"
    if len(widths) == 2 and widths[1] < 2.0 * LEAST_PART_PX * pixel:
        return "wings"
    return None


# Measures a line between two points of the continuum that a person chose.
POINT_PX = 3  # the continuum at a point is the median of so many pixels on each side of it
FEWEST_PX = 3


@dataclass(frozen=True)
class LineBetween:
    """Wavelengths and `ew` are observed vacuum angstrom; EW > 0 is absorption.

    Errors are None where the spectrum gives none. `fwhm_kms` is None where the line does not fall
    to half of its depth on both sides.
    """

    left: tuple[float, float]  # wavelength and flux of the continuum
    right: tuple[float, float]
    ew: float
    ew_error: float | None
    centroid: float | None
    fwhm_kms: float | None
    snr: float | None  # median of the continuum per pixel


def measure_between(spectrum: Spectrum, low: float, high: float) -> LineBetween:
    """Measure what lies between a straight continuum and the flux.

    Raises WorkbenchError where there are too few good pixels, or the continuum is not positive.
    """
    low, high = sorted((low, high))
    inside = (spectrum.wavelength >= low) & (spectrum.wavelength <= high) & spectrum.good
    if inside.sum() < FEWEST_PX:
        raise WorkbenchError("there are too few good pixels between the two points")
    first, last = _point(spectrum, low), _point(spectrum, high)
    # Both points may fall on the same pixels.
    slope = (last[1] - first[1]) / max(last[0] - first[0], 1e-9)
    left, right = (first[1] + slope * (at - first[0]) for at in (low, high))
    wavelength, flux = spectrum.wavelength[inside], spectrum.flux[inside]
    continuum = first[1] + slope * (wavelength - first[0])
    if not (continuum > 0).all():
        raise WorkbenchError("the continuum between the two points is not positive")
    widths = np.diff(pixel_edges(spectrum.wavelength))[inside]
    depth = 1.0 - flux / continuum
    ew = float(np.sum(depth * widths))
    ew_error, snr = None, None
    if spectrum.sigma is not None:
        noise = spectrum.sigma[inside] / continuum
        known = np.isfinite(noise)
        if known.any():
            snr = float(1.0 / np.median(noise[known]))
            ew_error = _ew_error(noise[known], widths[known], float(widths.sum()) - ew)
    weights = depth * widths
    signed = np.where(weights * ew > 0, weights, 0.0)
    total = float(signed.sum())
    return LineBetween(
        left=(low, left), right=(high, right), ew=ew, ew_error=ew_error,
        centroid=float(np.sum(signed * wavelength) / total) if total else None,
        fwhm_kms=_fwhm_kms(wavelength, depth if ew > 0 else -depth), snr=snr,
    )  # fmt: skip


def _point(spectrum: Spectrum, at: float) -> tuple[float, float]:
    """Middle wavelength and flux of the good pixels near a wavelength."""
    nearest = int(np.searchsorted(spectrum.wavelength, at))
    around = slice(max(nearest - POINT_PX, 0), nearest + POINT_PX + 1)
    good = spectrum.good[around]
    if not good.any():
        raise WorkbenchError(f"there is no good pixel near {at:.1f} Å")
    wavelength, flux = spectrum.wavelength[around][good], spectrum.flux[around][good]
    return float(np.median(wavelength)), float(np.median(flux))


def _ew_error(noise: FloatArray, widths: FloatArray, below: float) -> float:
    """From the pixels, and from the two points that fix the continuum."""
    of_pixels = float(np.sum((noise * widths) ** 2))
    of_point = float(np.median(noise)) / np.sqrt(2 * POINT_PX + 1)
    return float(np.sqrt(of_pixels + (below * of_point) ** 2 / 2.0))


def _fwhm_kms(wavelength: FloatArray, height: FloatArray) -> float | None:
    """The width at half of the largest height, if it falls so far on both sides."""
    top = int(np.argmax(height))
    half = 0.5 * float(height[top])
    below = np.flatnonzero(height < half)
    before, after = below[below < top], below[below > top]
    if half <= 0 or not before.size or not after.size:
        return None
    ends = [_crossing(wavelength, height, first, half) for first in (before[-1], after[0] - 1)]
    return float((ends[1] - ends[0]) / wavelength[top] * LIGHT_KMS)


def _crossing(wavelength: FloatArray, height: FloatArray, first: int, level: float) -> float:
    """Where the height passes a level between a pixel and the next."""
    ends = height[first : first + 2], wavelength[first : first + 2]
    order = np.argsort(ends[0])
    return float(np.interp(level, ends[0][order], ends[1][order]))
