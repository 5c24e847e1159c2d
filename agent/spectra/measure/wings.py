"""Area, depth and width of an absorption line whose wings reach into its side windows.

A pressure-broadened line has no end: a window misses its far wings, and a continuum beside it lies
too low. Here the line and a straight continuum are fitted together, with a profile that falls as a
power of the distance, over all widths and powers that the data allow.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from agent.spectra.pixel_grid import PixelGrid, median
from agent.spectra.smoothing import FWHM_PER_SIGMA
from agent.spectra.spectrum import BoolArray, FloatArray, Window

# Balmer lines of white dwarfs and A stars fall with powers from 1.6 to 2.5 of the distance. Below
# 1.8 a line has more area for its depth and width than any that was seen: blends pull there.
POWER, POWER_SPREAD = 2.2, 0.35
POWERS = np.linspace(1.8, 3.2, 8)
WIDTHS = np.geomspace(0.5, 1.8, 14)  # times half the FWHM
N_GRIDS = 4  # each finer than the one before, until it resolves what is likely
N_NEAR = 9  # widths, and powers, of the finer grid
FAR_POWER = 2.5
"""Of the distance, with which wings by the pressure of ions fall far from the core (Holtsmark)."""
FAR_DOUBT = 0.3  # share of the far wings, which nothing measures
SHARP = 0.25  # of a line's width: what blurs it less changes its profile by less than 3 %
WINGS_FIRST = 10.0
"""Odds for such wings before the data are seen: absorption this wide has nearly always some."""
DEEPEST = 0.95  # a black core would need an infinite opacity
N_STEPS = 60
MIN_PIXELS = 20
CLIP = 4.0
MAX_CHANCE = 0.1  # largest share of a depth that is taken for chance
MAX_GAIN = 2.0  # a larger correction means that the wings are another feature

Shape = Callable[..., FloatArray]  # absorption by distance, half width and power


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
    lsf: float,
    plain: Callable[[FloatArray], FloatArray],
) -> WingedLine | None:
    """The line with all its wings, fitted in `reach`; None if it cannot be fitted.

    `depth` is that of the core, relative to the continuum; `lsf` is the FWHM of what is not
    resolved; `plain` is the flux of the profile without such wings, with its continuum.
    """
    where = grid.slice(*reach)
    good = grid.good[where]
    x = grid.wavelength[where][good] - centre
    flux, sigma = grid.flux[where][good], grid.sigma[where][good]
    if x.size < MIN_PIXELS or not (sigma > 0).all():
        return None
    opacity = -math.log1p(-min(max(depth, 0.01), DEEPEST))
    blur = lsf / FWHM_PER_SIGMA if lsf > SHARP * fwhm else 0.0
    own = math.sqrt(max(fwhm**2 - lsf**2, (0.5 * fwhm) ** 2)) if blur else fwhm
    shape = partial(_profile, opacity=opacity, blur=blur)
    halves, powers = 0.5 * own * WIDTHS, POWERS
    keep = np.ones(x.size, dtype=np.bool_)
    found = None
    for number in range(N_GRIDS):
        if found is not None:  # finer, where the first fit is, and without what it clips
            halves, powers = found.near
            if number > 1 and found.is_resolved:
                break
        found = _fit(x[keep], flux[keep], sigma[keep], halves, powers, shape)
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
    is_resolved: bool  # whether several widths of the grid are likely
    half: float
    power: float
    level: float
    slope: float
    depth: float
    scale: float
    shape: Shape

    def model(self, x: FloatArray) -> FloatArray:
        line = self.depth * self.shape(x, self.half, self.power)
        return np.asarray(self.level + self.slope * x - line)


def _fit(
    x: FloatArray,
    flux: FloatArray,
    sigma: FloatArray,
    halves: FloatArray,
    powers: FloatArray,
    shape: Shape,
) -> _Fit | None:
    """Average over widths and powers, each with its profile, weighted by their likelihood."""
    grid = halves, powers
    halves, powers = (each.ravel() for each in np.meshgrid(halves, powers))
    shapes = shape(x[None], halves[:, None], powers[:, None])
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
    level, depth = solved[:, 0], solved[:, 2]
    valid = (level > 0) & (depth > 0)
    if not valid.any():
        return None
    near, far, top, full = _sizes(halves, powers, shape, float(np.abs(x).max()))
    total = near + far
    ratio = np.where(valid, depth / np.where(valid, level, 1.0), 0.0)
    width = ratio * total
    log_weight = -0.5 * (chi2 - chi2.min()) / scale
    log_weight -= 0.5 * ((powers - POWER) / POWER_SPREAD) ** 2
    weight = _weights(log_weight, width, valid)
    # The error of depth / level, from both and their correlation.
    own = scale * (
        covariance[:, 2, 2] - 2.0 * ratio * covariance[:, 0, 2] + ratio**2 * covariance[:, 0, 0]
    )
    variance = np.where(valid, own * (total / np.where(valid, level, 1.0)) ** 2, 0.0)
    mean = float(weight @ width)
    spread = float(weight @ ((width - mean) ** 2 + variance))
    spread += (FAR_DOUBT * float(weight @ (ratio * far))) ** 2
    best = int(np.argmax(weight))
    of_depth = _weights(log_weight, top * ratio, valid)
    deep = float(of_depth @ (top * ratio))
    own *= np.where(valid, top / level, 0.0) ** 2
    deep_variance = float(of_depth @ ((top * ratio - deep) ** 2 + own))
    # Centre and width are where noise makes the line deepest: each adds half of this.
    deep -= min(deep_variance / deep, MAX_CHANCE * deep)
    fwhm = float(weight @ full)
    return _Fit(
        mean, math.sqrt(max(spread, 0.0)), deep, math.sqrt(max(deep_variance, 0.0)), fwhm,
        math.sqrt(float(weight @ (full - fwhm) ** 2)), *_near(*grid, weight),
        float(halves[best]), float(powers[best]),
        float(level[best]), float(solved[best, 1]), float(depth[best]), scale, shape,
    )  # fmt: skip


def _weights(logs: FloatArray, sizes: FloatArray, valid: BoolArray) -> FloatArray:
    """The probability of each profile, from the logarithm of its likelihood and from its size.

    Any order of magnitude is as likely: noise that enlarges a line would else count for more.
    """
    logs = logs - np.log(np.where(valid, sizes, 1.0))
    weight = np.where(valid, np.exp(logs - logs[valid].max()), 0.0)
    return np.asarray(weight / weight.sum())


def _near(
    halves: FloatArray, powers: FloatArray, weight: FloatArray
) -> tuple[tuple[FloatArray, FloatArray], bool]:
    """A finer grid over the likely widths and powers, and whether this grid was fine enough.

    The finer one reaches three standard deviations to each side.
    """
    by_power = weight.reshape(powers.size, halves.size)
    logs, of_logs, of_powers = np.log(halves), by_power.sum(axis=0), by_power.sum(axis=1)
    middle, centre = float(of_logs @ logs), float(of_powers @ powers)
    log_spread = math.sqrt(float(of_logs @ (logs - middle) ** 2))
    spread = math.sqrt(float(of_powers @ (powers - centre) ** 2))
    # Not less than half a step of this grid, which hides what is narrower.
    log_step, step = 0.5 * (logs[1] - logs[0]), 0.5 * (powers[1] - powers[0])
    reach = 3.0 * np.linspace(-1.0, 1.0, N_NEAR)
    finer = np.exp(middle + max(log_spread, log_step) * reach)
    lowest = max(centre - 3.0 * max(spread, step), POWERS[0])
    near = np.linspace(lowest, centre + 3.0 * max(spread, step), N_NEAR)
    return (finer, near), log_spread > log_step


def _profile(
    x: FloatArray, half: FloatArray | float, power: FloatArray | float, opacity: float, blur: float
) -> FloatArray:
    """Absorption relative to the core, by an opacity that falls with the power of the distance.

    `blur` is the standard deviation of the instrument's own profile.
    """
    if blur:  # a Gaussian and three points of these weights have the same first five moments
        aside = math.sqrt(3.0) * blur
        parts = [_profile(x + each, half, power, opacity, 0.0) for each in (-aside, 0.0, aside)]
        return np.asarray((parts[0] + 4.0 * parts[1] + parts[2]) / 6.0)
    fading = opacity / (1.0 + np.abs(x / half) ** power)
    return np.asarray(np.expm1(-fading) / math.expm1(-opacity))


def _sizes(halves: FloatArray, powers: FloatArray, shape: Shape, end: float) -> FloatArray:
    """(4, profiles): areas up to `end` from the core and beyond, height and FWHM."""
    # Squared, so that they are closest at the core, where the profile is steepest.
    steps = end * np.linspace(0.0, 1.0, N_STEPS) ** 2
    heights = shape(steps, halves[:, None], powers[:, None])
    near = np.trapezoid(heights, steps, axis=1)
    far = heights[:, -1] * end / (FAR_POWER - 1.0)
    top = heights[:, 0]
    row, first = np.arange(top.size), np.argmax(heights < 0.5 * top[:, None], axis=1)
    before, after = heights[row, first - 1], heights[row, first]
    share = (before - 0.5 * top) / (before - after)
    at_half = steps[first - 1] + share * (steps[first] - steps[first - 1])
    return np.asarray([2.0 * near, 2.0 * far, top, 2.0 * at_half])
