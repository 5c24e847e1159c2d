"""A straight continuum between two side windows, and the area of a feature under it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agent.spectra.sampling import PixelGrid, median
from agent.spectra.spectrum import FloatArray, Window

N_CLIPS = 2
MAX_GAP = 0.25
"""Part of a feature's window that may be bridged over bad pixels."""
MAX_BRIDGE_PX = 3
"""Longest run of bad pixels that is bridged: a longer one can hide a narrow line."""


class Level(NamedTuple):
    """Mean flux of a window, its error, and the mean wavelength of its pixels."""

    mean: float
    error: float
    centre: float

    def times(self, factor: float) -> Level:
        return Level(self.mean * factor, self.error * factor, self.centre)


@dataclass(frozen=True)
class SideLine:
    """The straight line through two levels."""

    blue: Level
    red: Level

    def share(self, wavelength: FloatArray) -> FloatArray:
        """How much of the red level enters at each wavelength; the rest is the blue one."""
        span = self.red.centre - self.blue.centre
        return np.asarray((wavelength - self.blue.centre) / span)

    def at(self, wavelength: FloatArray) -> FloatArray:
        return self.at_share(self.share(wavelength))

    def at_share(self, share: FloatArray) -> FloatArray:
        return np.asarray(self.blue.mean + share * (self.red.mean - self.blue.mean))


@dataclass(frozen=True)
class LineArea:
    """Equivalent width (angstrom, absorption positive) of what lies inside a window."""

    width: float
    error: float
    covered: float
    """Width of the window that was integrated, excluded parts left out."""


def side_line(blue: Level, red: Level, n_sigma: float) -> SideLine | str:
    """The continuum between two windows, or the reason why there is none."""
    if not (blue.mean > n_sigma * blue.error and red.mean > n_sigma * red.error):
        return "the continuum is not above the noise"
    if not red.centre > blue.centre:
        return "the side windows do not lie on both sides"
    return SideLine(blue, red)


def level(sampling: PixelGrid, lo: float, hi: float, clip: float = 0.0) -> Level | str:
    """Mean of the good pixels centred in [lo, hi], those beyond `clip` sigma left out."""
    where = sampling.slice(lo, hi)
    good = sampling.good[where]
    flux, sigma = sampling.flux[where][good], sampling.sigma[where][good]
    wavelength = sampling.wavelength[where][good]
    if clip > 0 and flux.size > 4:
        keep = np.ones(flux.size, dtype=np.bool_)
        for _ in range(N_CLIPS):
            deviation = np.abs(flux - median(flux[keep]))
            # The scatter itself bounds the cut, or a structured continuum loses its pixels.
            keep = deviation <= clip * np.maximum(sigma, 1.4826 * median(deviation[keep]))
        flux, sigma, wavelength = flux[keep], sigma[keep], wavelength[keep]
    if flux.size < 2:
        return "no continuum beside the feature"
    error = math.sqrt(float(sigma @ sigma)) / flux.size
    return Level(float(flux.mean()), error, float(wavelength.mean()))


def integrate_line(
    sampling: PixelGrid, line: SideLine, window: Window, exclude: tuple[Window, ...] = ()
) -> LineArea | str:
    """Sum of (1 - flux / continuum) over a window; the error holds noise and continuum."""
    edges = sampling.edges
    first = max(0, int(edges.searchsorted(window[0], side="right")) - 1)
    last = min(sampling.wavelength.size, int(edges.searchsorted(window[1])))
    if last - first < 1:
        return "outside the spectrum"
    where = slice(first, last)
    width = sampling.width[where].copy()
    width[0] -= max(0.0, window[0] - edges[first])
    width[-1] -= max(0.0, edges[last] - window[1])
    wavelength, good = sampling.wavelength[where], sampling.good[where]
    for lo, hi in exclude:
        width[(wavelength >= lo) & (wavelength <= hi)] = 0.0
    sigma = sampling.sigma[where]
    if not good.all():
        reason = _gap(width, good)
        if reason:
            return reason
        sigma = np.where(good, 1.0, 2.0) * sigma
    share = line.share(wavelength)
    continuum = line.at_share(share)
    if not continuum.min() > 0:
        return "the continuum falls below zero"
    weight = width / continuum
    flux = sampling.flux[where]
    noise = weight * sigma
    covered = float(width.sum())
    pull = weight * flux / continuum
    red_pull = float(pull @ share)
    blue_pull = float(pull.sum()) - red_pull
    error = math.hypot(
        math.sqrt(float(noise @ noise)), blue_pull * line.blue.error, red_pull * line.red.error
    )
    return LineArea(covered - float(weight @ flux), error, covered)


def _gap(width: FloatArray, good: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> str:
    bad = ~good & (width > 0)
    if float(width[bad].sum()) > MAX_GAP * float(width.sum()):
        return "too many bad pixels"
    starts = np.flatnonzero(np.diff(np.concatenate([[False], bad, [False]]).astype(np.int8)))
    if starts.size and int(np.max(starts[1::2] - starts[::2])) > MAX_BRIDGE_PX:
        return "a gap of bad pixels inside the feature"
    return ""
