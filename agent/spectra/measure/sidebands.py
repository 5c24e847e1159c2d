"""A straight continuum between two side windows, and the area of a feature relative to it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agent.spectra.pixel_grid import PixelGrid, median
from agent.spectra.spectrum import BoolArray, FloatArray, Window

CONTINUUM_SIGMA = 3.0  # the continuum must exceed its error by this factor to be divided by
CLIP = 3.0
N_CLIPS = 2
MAX_GAP = 0.25  # share of a feature's window that may be interpolated over bad pixels
# Longest run of bad pixels that is interpolated: a longer one can hide a narrow line.
MAX_BRIDGE_PX = 3


class Level(NamedTuple):
    """Mean flux of a window, its error, and the mean wavelength of its pixels."""

    mean: float
    error: float
    centre: float

    def times(self, factor: float) -> Level:
        return Level(self.mean * factor, self.error * factor, self.centre)


@dataclass(frozen=True)
class LinearContinuum:
    """The straight line through the levels of two side windows."""

    blue: Level
    red: Level

    def red_share(self, wavelength: FloatArray) -> FloatArray:
        """Weight of the red level at each wavelength; the blue one has the rest."""
        span = self.red.centre - self.blue.centre
        return np.asarray((wavelength - self.blue.centre) / span)

    def at(self, wavelength: FloatArray) -> FloatArray:
        return self.at_red_share(self.red_share(wavelength))

    def at_red_share(self, share: FloatArray) -> FloatArray:
        return np.asarray(self.blue.mean + share * (self.red.mean - self.blue.mean))


@dataclass(frozen=True)
class FeatureArea:
    """Equivalent width of a window and its error, angstrom, absorption positive."""

    width: float
    error: float
    covered: float  # width of the window without its excluded parts


def continuum_beside(grid: PixelGrid, blue: Window, red: Window, of: str) -> LinearContinuum | str:
    """The continuum of the side windows of a line or feature, or the reason why there is none."""
    levels = side_level(grid, *blue), side_level(grid, *red)
    if levels[0] is None or levels[1] is None:
        return f"no continuum beside the {of}"
    return linear_continuum(levels[0], levels[1])


def linear_continuum(blue: Level, red: Level) -> LinearContinuum | str:
    """The continuum between two windows, or the reason why there is none."""
    if any(not side.mean > CONTINUUM_SIGMA * side.error for side in (blue, red)):
        return "the continuum is not above the noise"
    if not red.centre > blue.centre:
        return "the side windows do not lie on both sides"
    return LinearContinuum(blue, red)


def side_level(grid: PixelGrid, lo: float, hi: float) -> Level | None:
    """Mean of the good pixels centred in [lo, hi), clipped; None with fewer than two."""
    where = grid.slice(lo, hi)
    good = grid.good[where]
    flux, sigma = grid.flux[where][good], grid.sigma[where][good]
    wavelength = grid.wavelength[where][good]
    if flux.size > 4:
        keep = np.ones(flux.size, dtype=np.bool_)
        for _ in range(N_CLIPS):
            deviation = np.abs(flux - median(flux[keep]))
            # Without the scatter itself as a bound a structured continuum would lose its pixels.
            # 1.4826 times the median deviation is the standard deviation of Gaussian values.
            keep = deviation <= CLIP * np.maximum(sigma, 1.4826 * median(deviation[keep]))
        flux, sigma, wavelength = flux[keep], sigma[keep], wavelength[keep]
    if flux.size < 2:
        return None
    error = math.sqrt(float(sigma @ sigma)) / flux.size
    return Level(float(flux.mean()), error, float(wavelength.mean()))


def integrate_feature(
    grid: PixelGrid, continuum: LinearContinuum, window: Window, exclude: tuple[Window, ...] = ()
) -> FeatureArea | str:
    """Integral of 1 - flux / continuum; the error includes noise and continuum."""
    edges = grid.edges
    first = max(0, int(edges.searchsorted(window[0], side="right")) - 1)
    last = min(grid.wavelength.size, int(edges.searchsorted(window[1])))
    if last - first < 1:
        return "outside the spectrum"
    where = slice(first, last)
    width = grid.width[where].copy()
    width[0] -= max(0.0, window[0] - edges[first])
    width[-1] -= max(0.0, edges[last] - window[1])
    wavelength, good = grid.wavelength[where], grid.good[where]
    for lo, hi in exclude:
        width[(wavelength >= lo) & (wavelength <= hi)] = 0.0
    sigma = grid.sigma[where]
    if not good.all():
        reason = _gap(width, good)
        if reason:
            return reason
        sigma = np.where(good, 1.0, 2.0) * sigma
    share = continuum.red_share(wavelength)
    expected = continuum.at_red_share(share)
    if not expected.min() > 0:
        return "the continuum falls below zero"
    weight = width / expected
    flux = grid.flux[where]
    noise = weight * sigma
    covered = float(width.sum())
    pull = weight * flux / expected
    red_pull = float(pull @ share)
    blue_pull = float(pull.sum()) - red_pull
    error = math.hypot(
        math.sqrt(float(noise @ noise)),
        blue_pull * continuum.blue.error,
        red_pull * continuum.red.error,
    )
    return FeatureArea(covered - float(weight @ flux), error, covered)


def _gap(width: FloatArray, good: BoolArray) -> str:
    """Why the bad pixels are too many, or nothing."""
    bad = ~good & (width > 0)
    if float(width[bad].sum()) > MAX_GAP * float(width.sum()):
        return "too many bad pixels"
    starts = np.flatnonzero(np.diff(np.concatenate([[False], bad, [False]]).astype(np.int8)))
    if starts.size and int(np.max(starts[1::2] - starts[::2])) > MAX_BRIDGE_PX:
        return "a gap of bad pixels inside the feature"
    return ""
