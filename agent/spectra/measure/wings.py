"""The equivalent width of an absorption line whose wings reach into its side windows.

A pressure-broadened line has no end: a window misses its far wings, and a continuum beside it lies
too low. Here the line and a straight continuum are fitted together, with a profile that falls as a
power of the distance, over all widths and powers that the data allow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from agent.spectra.pixel_grid import PixelGrid, median
from agent.spectra.spectrum import FloatArray, Window

# Balmer lines of white dwarfs and A stars fall with powers from 1.6 to 2.5 of the distance.
POWER, POWER_SPREAD = 2.2, 0.35
POWERS = np.linspace(1.5, 3.2, 12)
WIDTHS = np.geomspace(0.6, 1.5, 22)  # times half the FWHM
FAR_POWER = 2.5
"""Of the distance, with which wings by the pressure of ions fall far from the core (Holtsmark)."""
FAR_DOUBT = 0.3  # share of the far wings, which nothing measures
WINGS_FIRST = 3.0
"""Odds for such wings before the data are seen: absorption this wide has nearly always some."""
DEEPEST = 0.95  # a black core would need an infinite opacity
N_STEPS = 60
MIN_PIXELS = 20
CLIP = 4.0
MAX_GAIN = 1.5  # a larger correction means that the wings are another feature


@dataclass(frozen=True)
class WingedWidth:
    """An equivalent width in observed angstrom, absorption positive."""

    width: float
    error: float
    share: float  # probability of these wings against the other profile, from 0 to 1


def winged_width(
    grid: PixelGrid,
    reach: Window,
    centre: float,
    fwhm: float,
    depth: float,
    plain: Callable[[FloatArray], FloatArray],
) -> WingedWidth | None:
    """The equivalent width with all its wings, fitted in `reach`; None if it cannot be fitted.

    `depth` is that of the core, relative to the continuum; `plain` is the flux of the profile
    without such wings, with its continuum.
    """
    where = grid.slice(*reach)
    good = grid.good[where]
    x = grid.wavelength[where][good] - centre
    flux, sigma = grid.flux[where][good], grid.sigma[where][good]
    if x.size < MIN_PIXELS or not (sigma > 0).all():
        return None
    opacity = -math.log1p(-min(max(depth, 0.01), DEEPEST))
    halves, powers = (each.ravel() for each in np.meshgrid(0.5 * fwhm * WIDTHS, POWERS))
    shapes = _profile(x[None], halves[:, None], powers[:, None], opacity)
    keep = np.ones(x.size, dtype=np.bool_)
    found = None
    for _ in range(2):
        if found is not None and keep.all():  # nothing was clipped: it would be found again
            break
        found = _fit(x[keep], flux[keep], sigma[keep], halves, powers, shapes[:, keep], opacity)
        if found is None:
            return None
        residual = np.abs(flux - found.model(x)) / sigma
        # 1.4826 times the median deviation is the standard deviation of Gaussian values.
        keep = residual < CLIP * max(1.0, 1.4826 * median(residual[keep]))
        if keep.sum() < MIN_PIXELS:
            return None
    assert found is not None
    other = (flux - plain(centre + x)) / sigma
    ours = (flux - found.model(x)) / sigma
    gain = float(
        (np.minimum(other[keep] ** 2, CLIP**2) - np.minimum(ours[keep] ** 2, CLIP**2)).sum()
    )
    odds = math.log(WINGS_FIRST) + 0.5 * gain / found.scale
    # Beyond 50 the share is 0 or 1 to all digits, and the exponential might overflow.
    share = 1.0 / (1.0 + math.exp(-min(max(odds, -50.0), 50.0)))
    return WingedWidth(found.width, found.error, share)


@dataclass(frozen=True)
class _Fit:
    width: float
    error: float
    half: float
    power: float
    level: float
    slope: float
    depth: float
    scale: float
    opacity: float

    def model(self, x: FloatArray) -> FloatArray:
        line = self.depth * _profile(x, self.half, self.power, self.opacity)
        return np.asarray(self.level + self.slope * x - line)


def _fit(
    x: FloatArray,
    flux: FloatArray,
    sigma: FloatArray,
    halves: FloatArray,
    powers: FloatArray,
    shapes: FloatArray,
    opacity: float,
) -> _Fit | None:
    """Average over widths and powers, each with its profile, weighted by their likelihood."""
    rows = np.stack(np.broadcast_arrays(1.0, x[None], -shapes), axis=1) / sigma
    normal = rows @ rows.transpose(0, 2, 1)
    target = rows @ (flux / sigma)
    try:
        solved = np.linalg.solve(normal, target[..., None])[..., 0]
        covariance = np.linalg.inv(normal)
    except np.linalg.LinAlgError:
        return None
    chi2 = float(((flux / sigma) ** 2).sum()) - np.einsum("ij,ij->i", solved, target)
    # Where the profile is not exactly this one, what is left over is no noise.
    scale = max(1.0, float(chi2.min()) / max(x.size - 5, 1))
    log_weight = -0.5 * (chi2 - chi2.min()) / scale
    log_weight -= 0.5 * ((powers - POWER) / POWER_SPREAD) ** 2
    level, depth = solved[:, 0], solved[:, 2]
    valid = (level > 0) & (depth > 0)
    if not valid.any():
        return None
    weight = np.where(valid, np.exp(log_weight - log_weight[valid].max()), 0.0)
    weight /= weight.sum()
    near, far = _areas(halves, powers, opacity, float(np.abs(x).max()))
    total = near + far
    ratio = np.where(valid, depth / np.where(valid, level, 1.0), 0.0)
    width = ratio * total
    # The error of depth / level, from both and their correlation.
    own = scale * (
        covariance[:, 2, 2] - 2.0 * ratio * covariance[:, 0, 2] + ratio**2 * covariance[:, 0, 0]
    )
    variance = np.where(valid, own * (total / np.where(valid, level, 1.0)) ** 2, 0.0)
    mean = float(weight @ width)
    spread = float(weight @ ((width - mean) ** 2 + variance))
    spread += (FAR_DOUBT * float(weight @ (ratio * far))) ** 2
    best = int(np.argmax(weight))
    return _Fit(
        mean, math.sqrt(max(spread, 0.0)), float(halves[best]), float(powers[best]),
        float(level[best]), float(solved[best, 1]), float(depth[best]), scale, opacity,
    )  # fmt: skip


def _profile(
    x: FloatArray, half: FloatArray | float, power: FloatArray | float, opacity: float
) -> FloatArray:
    """Absorption relative to the core, by an opacity that falls with the power of the distance."""
    fading = opacity / (1.0 + np.abs(x / half) ** power)
    return np.asarray(np.expm1(-fading) / math.expm1(-opacity))


def _areas(halves: FloatArray, powers: FloatArray, opacity: float, end: float) -> FloatArray:
    """(2, profiles): the areas up to `end` from the core, and of the far wings beyond."""
    ends = (end / halves)[:, None]
    # Squared, so that they are closest at the core, where the profile is steepest.
    steps = ends * np.linspace(0.0, 1.0, N_STEPS) ** 2
    heights = _profile(steps, 1.0, powers[:, None], opacity)
    near = np.trapezoid(heights, steps, axis=1)
    far = heights[:, -1] * ends[:, 0] / (FAR_POWER - 1.0)
    return np.asarray(2.0 * halves * np.stack([near, far]))
