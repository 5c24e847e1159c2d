"""Area, depth and width of an absorption line whose wings reach into its side windows.

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

# Balmer lines of white dwarfs and A stars fall with powers from 1.6 to 2.5 of the distance. Below
# 1.8 a line has more area for its depth and width than any that was seen: blends pull there.
POWER, POWER_SPREAD = 2.2, 0.35
POWERS = np.linspace(1.8, 3.2, 8)
WIDTHS = np.geomspace(0.6, 1.5, 12)  # times half the FWHM
N_NEAR = 9  # widths, and powers, of the finer grid
FAR_POWER = 2.5
"""Of the distance, with which wings by the pressure of ions fall far from the core (Holtsmark)."""
FAR_DOUBT = 0.3  # share of the far wings, which nothing measures
WINGS_FIRST = 3.0
"""Odds for such wings before the data are seen: absorption this wide has nearly always some."""
DEEPEST = 0.95  # a black core would need an infinite opacity
N_STEPS = 60
MIN_PIXELS = 20
CLIP = 4.0
MAX_GAIN = 2.0  # a larger correction means that the wings are another feature


@dataclass(frozen=True)
class WingedLine:
    """Equivalent width and FWHM in observed angstrom, and depth, each with its error."""

    ew: float
    ew_error: float
    depth: float
    depth_error: float
    fwhm: float
    fwhm_error: float
    share: float  # probability of these wings against the other profile, from 0 to 1


def winged_line(
    grid: PixelGrid,
    reach: Window,
    centre: float,
    fwhm: float,
    depth: float,
    plain: Callable[[FloatArray], FloatArray],
) -> WingedLine | None:
    """The line with all its wings, fitted in `reach`; None if it cannot be fitted.

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
        if found is not None:  # finer, where the first fit is, and without what it clips
            halves, powers = found.near
            shapes = _profile(x[None], halves[:, None], powers[:, None], opacity)
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
    return WingedLine(
        found.width, found.error, found.deep, found.deep_error, found.fwhm, found.fwhm_error, share
    )


@dataclass(frozen=True)
class _Fit:
    width: float
    error: float
    deep: float
    deep_error: float
    fwhm: float
    fwhm_error: float
    near: tuple[FloatArray, FloatArray]
    """Halves of the FWHM and powers close to the likely ones."""
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
    deep = float(weight @ ratio)
    deep_spread = float(weight @ ((ratio - deep) ** 2 + np.where(valid, own / level**2, 0.0)))
    # Where the profile has half its depth, in units of `halves`.
    at_half = -math.log1p(0.5 * math.expm1(-opacity))
    full = 2.0 * halves * (opacity / at_half - 1.0) ** (1.0 / powers)
    fwhm = float(weight @ full)
    return _Fit(
        mean, math.sqrt(max(spread, 0.0)), deep, math.sqrt(max(deep_spread, 0.0)), fwhm,
        math.sqrt(float(weight @ (full - fwhm) ** 2)), _near(halves, powers, weight),
        float(halves[best]), float(powers[best]),
        float(level[best]), float(solved[best, 1]), float(depth[best]), scale, opacity,
    )  # fmt: skip


def _near(
    halves: FloatArray, powers: FloatArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """A finer grid over the likely ones, three standard deviations to each side."""
    logs = np.log(halves)
    middle, centre = float(weight @ logs), float(weight @ powers)
    # Not less than half a step of the first grid, which hides what is narrower.
    log_step = 0.5 * math.log(WIDTHS[1] / WIDTHS[0])
    log_spread = max(math.sqrt(float(weight @ (logs - middle) ** 2)), log_step)
    spread = max(math.sqrt(float(weight @ (powers - centre) ** 2)), 0.5 * (POWERS[1] - POWERS[0]))
    finer = np.exp(middle + log_spread * np.linspace(-3.0, 3.0, N_NEAR))
    powers = np.maximum(centre + spread * np.linspace(-3.0, 3.0, N_NEAR), POWERS[0])
    found = np.meshgrid(finer, powers)
    return found[0].ravel(), found[1].ravel()


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
