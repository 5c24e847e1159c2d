"""Finds a line with matched filters and fits its profile."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from agent.spectra.pixel_grid import median
from agent.spectra.smoothing import FWHM_PER_SIGMA
from agent.spectra.spectrum import FloatArray, Window

WIDTH_STEP = 1.35  # a filter half a step too wide or too narrow loses 0.6 % of the significance
# Prior of the exponent: 2 is a Gaussian, 1 a cusp with wings, 4 a box like a double peak.
PEAKEDNESS = 2.0
PEAKEDNESS_SPREAD = 0.5
MIN_PEAKEDNESS, MAX_PEAKEDNESS = 0.7, 6.0
N_STEPS = 30
N_PARAMETERS = 4
_LN2 = math.log(2.0)


@dataclass(frozen=True)
class LineCandidate:
    """A possible line; `amplitude` is relative to the continuum, negative for absorption."""

    centre: float
    fwhm: float
    amplitude: float
    significance: float


@dataclass(frozen=True)
class ProfileFit:
    """amplitude * exp(-ln 2 |2 (x - centre) / fwhm|^peakedness), angstrom, with 1-sigma errors."""

    amplitude: float
    centre: float
    fwhm: float
    peakedness: float
    amplitude_error: float
    centre_error: float
    fwhm_error: float
    model: FloatArray


def strongest_feature(
    wavelength: FloatArray, excess: FloatArray, sigma: FloatArray, near: Window, widths: Window
) -> LineCandidate | None:
    """The most significant Gaussian bump or dip with its centre in `near`.

    `excess` is flux / continuum - 1 and `sigma` its error; `widths` are the FWHM from and to.
    """
    min_fwhm, max_fwhm = widths
    inside = np.flatnonzero((wavelength >= near[0]) & (wavelength <= near[1]))
    if not inside.size or wavelength.size < 3:
        return None
    step = median(np.diff(wavelength))
    weight = 1.0 / sigma**2
    weighted = weight * excess
    size = wavelength.size
    first, last = int(inside[0]), int(inside[-1]) + 1
    best: LineCandidate | None = None
    fwhm = max(min_fwhm, 1.5 * step)
    while fwhm <= max(max_fwhm, min_fwhm, 1.5 * step):
        spread = fwhm / FWHM_PER_SIGMA / step
        half = min(int(3.0 * spread) + 1, size)  # 0.3 % of a Gaussian is beyond three sigma
        kernel = np.exp(-0.5 * (np.arange(-half, half + 1) / spread) ** 2)
        # The pixels that the filter reaches from `near`; all, if they are fewer than it has.
        low, high = max(0, first - half), min(size, last + half)
        if high - low < kernel.size:
            low, high = 0, size
        wanted = slice(half + first - low, half + last - low)
        overlap = np.convolve(weighted[low:high], kernel)[wanted]
        power = np.convolve(weight[low:high], kernel**2)[wanted]
        score = overlap / np.sqrt(power)
        at = int(np.argmax(np.abs(score)))
        if best is None or abs(float(score[at])) > best.significance:
            centre, amplitude = float(wavelength[inside[at]]), float(overlap[at] / power[at])
            best = LineCandidate(centre, fwhm, amplitude, abs(float(score[at])))
        fwhm *= WIDTH_STEP
    return best


def fit_profile(
    wavelength: FloatArray, excess: FloatArray, sigma: FloatArray, start: LineCandidate
) -> ProfileFit | None:
    """Least-squares profile by damped Gauss-Newton steps; None if it diverges from `start`."""
    if wavelength.size < 5 or start.amplitude == 0:
        return None
    values = np.array([start.amplitude, start.centre, math.log(start.fwhm), PEAKEDNESS])
    limits = (start.centre - start.fwhm, start.centre + start.fwhm)
    # The largest step: a FWHM for the centre, a factor of two (e**0.7) for the width.
    highest = np.array([np.inf, start.fwhm, 0.7, 1.0])
    damping = 1e-2
    cost, normal, gradient, model = _linearised(wavelength, excess, sigma, values)
    for _ in range(N_STEPS):
        scaled = normal.copy()
        scaled.flat[:: N_PARAMETERS + 1] += damping * normal.diagonal()
        step = _solve(scaled, gradient)
        if step is None:
            return None
        trial = values + np.minimum(np.maximum(step, -highest), highest)
        trial[3] = min(max(trial[3], MIN_PEAKEDNESS), MAX_PEAKEDNESS)
        new = _linearised(wavelength, excess, sigma, trial)
        if new[0] <= cost:
            gain = cost - new[0]
            values, (cost, normal, gradient, model) = trial, new
            damping = max(damping * 0.2, 1e-9)
            if gain < 1e-5 * (1.0 + cost) * 0.1:
                break
        else:
            damping *= 8.0
            if damping > 1e8:
                break
    if not limits[0] <= values[1] <= limits[1] or not abs(values[2] - math.log(start.fwhm)) < 3:
        return None
    covariance = _solve(normal, np.eye(N_PARAMETERS))
    if covariance is None or not (covariance.diagonal() > 0).all():
        return None  # in a spike of one pixel, place, width and height cannot be told apart
    errors = np.sqrt(covariance.diagonal())
    fwhm = math.exp(values[2])
    return ProfileFit(
        amplitude=float(values[0]), centre=float(values[1]), fwhm=fwhm,
        peakedness=float(values[3]), amplitude_error=float(errors[0]),
        centre_error=float(errors[1]), fwhm_error=fwhm * float(errors[2]), model=model,
    )  # fmt: skip


def profile(
    wavelength: FloatArray, amplitude: float, centre: float, fwhm: float, peakedness: float
) -> FloatArray:
    distance = np.abs(2.0 * (wavelength - centre) / fwhm)
    return np.asarray(amplitude * np.exp(-_LN2 * distance**peakedness))


def _linearised(
    wavelength: FloatArray, excess: FloatArray, sigma: FloatArray, values: FloatArray
) -> tuple[float, FloatArray, FloatArray, FloatArray]:
    """Cost, normal matrix, downhill gradient (each including the prior) and the model."""
    # numbers of Python and arrays that are used again: short arrays cost little but their making
    amplitude, centre, log_fwhm, power = values.tolist()
    fwhm = math.exp(log_fwhm)
    offset = wavelength - centre
    offset *= 2.0
    offset /= fwhm
    distance = np.abs(offset)
    np.maximum(distance, 1e-6, out=distance)  # at the centre its logarithm must be finite
    raised = distance**power
    rows = np.empty((N_PARAMETERS, wavelength.size))
    shape, across, steep, peaked = rows
    np.minimum(raised, 200.0, out=shape)  # there the profile is 1e-60
    shape *= -_LN2
    np.exp(shape, out=shape)
    model = amplitude * shape
    np.multiply(model, _LN2, out=peaked)
    np.multiply(peaked, power, out=steep)
    steep *= raised
    np.divide(steep, distance, out=across)
    across *= np.sign(offset, out=offset)
    across *= 2.0
    across /= fwhm
    peaked *= raised
    peaked *= np.log(distance, out=distance)
    np.negative(peaked, out=peaked)
    rows /= sigma
    residual = (excess - model) / sigma
    pull = (PEAKEDNESS - power) / PEAKEDNESS_SPREAD
    normal = rows @ rows.T
    normal[3, 3] += 1.0 / PEAKEDNESS_SPREAD**2
    gradient = rows @ residual
    gradient[3] += pull / PEAKEDNESS_SPREAD
    return float(residual @ residual) + pull**2, normal, gradient, model


def _solve(matrix: FloatArray, wanted: FloatArray) -> FloatArray | None:
    *_, solution, singular = _solver()(matrix, wanted)
    if singular or not np.isfinite(solution).all():
        return None
    return np.asarray(solution, dtype=np.float64)


@cache
def _solver() -> Callable[..., tuple[Any, ...]]:
    """What `numpy.linalg.solve` calls after checks that cost four times as much."""
    from scipy.linalg import lapack  # takes 0.2 s: the window opens without it

    solver: Callable[..., tuple[Any, ...]] = lapack.dgesv
    return solver
