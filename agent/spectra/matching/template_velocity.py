"""The radial velocity at which a template fits a spectrum best, and whether to trust it.

The continuum is removed by a low-order polynomial that multiplies the template. The trial
velocities are equally spaced in the logarithm of the wavelength, so the misfit over them is the
weighted cross-correlation of the two turned upside down.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from agent.spectra.gaps import GAP, gap_starts
from agent.spectra.instrument import in_terrestrial
from agent.spectra.measure.continuum import continuum_of
from agent.spectra.pixel_grid import LIGHT_KMS, kept_with, pixel_grid
from agent.spectra.rebinning import rebinned
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum

FLOOR = 0.02  # Smallest error relative to the continuum: no template is better than that.
PIXEL_KMS = 25.0  # finer spectra are rebinned to this
MIN_PIXELS = 50
MIN_COVERAGE = 0.4  # share of the good pixels that a template must cover
CHUNK = 128  # trial velocities at a time, which bounds the memory
ORDER = 8
"""Of the polynomial that takes the continuum away: it follows some 700 angstrom, not a line."""
RANGE_KMS = 1500.0
STEP_KMS = 50.0
FINE_KMS, FINE_STEP_KMS = 150.0, 10.0
FITTED = 5
"""Steps on each side of the least chi2 through which a parabola is laid: a template is a broken
line, so that chi2 is not smooth from one step to the next."""
CALIBRATION_KMS = 3.0  # Least error: no survey's wavelengths are better.
MIN_RISE = 25.0
"""Least difference in chi2 to the next best velocity, in units of the chi2 of a pixel."""
APART_KMS = 400.0  # other velocities are at least so far from the best one
MIN_HEIGHT = 0.1

Reason = Literal["", "no_pixels", "no_overlap", "edge", "noisy", "unlike"]

RANK_ORDER = 6
"""Of the polynomial for the continuum; a higher one would take the bands of cool stars away."""
STAR_KMS, STAR_STEP_KMS = 1000.0, 60.0
FAR_STEP_KMS = 150.0


@dataclass(frozen=True)
class VelocityFit:
    """A velocity (c z, km/s) with its error, or the reason why there is none.

    `height` is the correlation of spectrum and template, without their continua, from 0 to 1.
    """

    velocity_kms: float = math.nan
    error_kms: float = math.nan
    height: float = 0.0
    reason: Reason = ""

    @property
    def is_trusted(self) -> bool:
        return not self.reason


def fit_velocity(
    spectrum: Spectrum,
    wavelength_rest: FloatArray,
    flux: FloatArray,
    z: float = 0.0,
    range_kms: float = RANGE_KMS,
) -> VelocityFit:
    """Fit the velocity of a template within `range_kms` of the redshift `z`. Any thread."""
    data = prepare(spectrum, ORDER)
    if data is None:
        return VelocityFit(reason="no_pixels")
    low, high = (1.0 + z) * (1.0 - range_kms / LIGHT_KMS), (1.0 + z) * (1.0 + range_kms / LIGHT_KMS)
    known = np.isfinite(wavelength_rest) & np.isfinite(flux)
    if known.sum() < 2:
        return VelocityFit(reason="no_overlap")
    ends = wavelength_rest[known][[0, -1]]
    covered = (data.wavelength > ends[0] * high) & (data.wavelength < ends[1] * low)
    if covered.sum() < MIN_PIXELS:
        return VelocityFit(reason="no_overlap")
    data = data.only(covered)
    coarse = scan(data, wavelength_rest, flux, stretches(low, high, STEP_KMS))
    if not np.isfinite(coarse.chi2).any():
        return VelocityFit(reason="no_overlap")
    return peak(data, coarse, wavelength_rest, flux)


def peak(data: Prepared, coarse: Scan, wavelength: FloatArray, flux: FloatArray) -> VelocityFit:
    """The least chi2 of a coarse scan, measured with a fine one."""
    best = coarse.best
    if best in (0, coarse.stretch.size - 1):
        return VelocityFit(reason="edge")
    middle, reach = float(coarse.stretch[best]), FINE_KMS / LIGHT_KMS
    trial = stretches(middle * (1.0 - reach), middle * (1.0 + reach), FINE_STEP_KMS)
    fine = scan(data, wavelength, flux, trial)
    at = min(max(fine.best, FITTED), trial.size - 1 - FITTED)
    near = slice(at - FITTED, at + FITTED + 1)
    velocities = LIGHT_KMS * (trial[near] - 1.0)
    if not np.isfinite(fine.chi2[near]).all():
        return VelocityFit(reason="edge")
    centre, scale = float(velocities[FITTED]), float(velocities[-1] - velocities[FITTED])
    curve, slope, level = np.polyfit((velocities - centre) / scale, fine.chi2[near], 2).tolist()
    pixel = float(fine.chi2.min()) / max(fine.n_pixels - data.order - 2, 1)
    if not (curve > 0 and pixel > 0) or abs(slope) > 2.0 * curve:
        return VelocityFit(reason="noisy")
    velocity = centre - 0.5 * slope / curve * scale
    # Errors come from how well the template fits, not from those of the file alone.
    error = math.hypot(scale * math.sqrt(pixel / curve), CALIBRATION_KMS)
    lowest = level - 0.25 * slope**2 / curve
    apart = np.abs(coarse.stretch / middle - 1.0) * LIGHT_KMS > APART_KMS
    others = coarse.chi2[apart]
    # How much worse the next best velocity is, in units of the chi2 of a pixel.
    rise = (float(others.min()) - lowest) / pixel if others.size else math.inf
    height = math.sqrt(max(1.0 - lowest / data.smooth_misfit, 0.0)) if data.smooth_misfit else 0.0
    doubt: Reason = "noisy" if rise < MIN_RISE else "unlike" if height < MIN_HEIGHT else ""
    return VelocityFit(velocity, error, height, doubt)


# Templates in the order of how well they fit a spectrum, each with its velocity.
@dataclass(frozen=True, eq=False)
class RankedTemplate:
    """A template to be compared, at rest; it is shifted up to the redshift `z_max`."""

    name: str
    wavelength: FloatArray
    flux: FloatArray
    z_max: float = 0.0


@dataclass(frozen=True)
class Match:
    """How well a template fits: chi2 of a pixel, and the best 1 + z."""

    name: str
    chi2: float
    z: float
    is_trusted: bool  # Whether the velocity stands out; without lines in common none does.

    @property
    def velocity_kms(self) -> float:
        return LIGHT_KMS * self.z


def rank_templates(spectrum: Spectrum, templates: Iterable[RankedTemplate]) -> list[Match]:
    """All templates that overlap the spectrum enough, the best first. Any thread."""
    offered = list(templates)
    data = to_rank(spectrum)
    if data is None or not offered:
        return []
    # The pixels that a typical template covers, so that all are compared over the same ones.
    low = float(np.median([each.wavelength[0] for each in offered]))
    high = float(np.median([each.wavelength[-1] for each in offered]))
    margin = 1.0 + STAR_KMS / LIGHT_KMS
    inside = (data.wavelength > low * margin) & (data.wavelength < high / margin)
    data = data.only(inside) if inside.sum() >= MIN_PIXELS else None
    if data is None:
        return []
    found = [match for each in offered if (match := _match(data, each)) is not None]
    return sorted(found, key=lambda match: match.chi2)


@kept_with
def to_rank(spectrum: Spectrum) -> Prepared | None:
    """What ranking needs of a spectrum; None with too few good pixels. Any thread."""
    return prepare(spectrum, RANK_ORDER)


def as_ranked(
    spectrum: Spectrum, wavelength: FloatArray, flux: FloatArray, z: float
) -> FloatArray | None:
    """The template's fluxes with the slopes that ranking gives them, in the unit of the spectrum.

    None where both overlap too little. Beyond the spectrum the slopes of its ends go on.
    """
    data = to_rank(spectrum)
    if data is None or (np.isfinite(wavelength) & np.isfinite(flux)).sum() < 2:
        return None
    flux = flux / (float(np.nanmedian(np.abs(flux))) or 1.0)  # the fit is of fluxes near 1
    known, levels = _without_gaps(wavelength, flux)
    rest = data.wavelength / (1.0 + z)
    covered = (rest >= known[0]) & (rest <= known[-1])
    if covered.sum() < MIN_PIXELS:
        return None
    data = data.only(covered)
    model = np.interp(data.wavelength / (1.0 + z), known, levels)[None, :]
    fitted = _fit(data.flux, data.weight, data.polynomials, data.order, model)[0][0]
    inside = np.clip(wavelength * (1.0 + z), *data.wavelength[[0, -1]])
    slopes = np.polynomial.chebyshev.chebval(_position(inside, data.wavelength), fitted)
    if not np.nanmedian(slopes) > 0:
        return None
    return np.asarray(flux * slopes * data.scale)


def _match(data: Prepared, template: RankedTemplate) -> Match | None:
    low, high = 1.0 - STAR_KMS / LIGHT_KMS, 1.0 + STAR_KMS / LIGHT_KMS
    step = STAR_STEP_KMS
    if template.z_max > 0.0:
        high, step = 1.0 + template.z_max, FAR_STEP_KMS
    coarse = scan(data, template.wavelength, template.flux, stretches(low, high, step))
    chi2 = float(coarse.chi2[coarse.best])
    if not math.isfinite(chi2):
        return None
    fit = peak(data, coarse, template.wavelength, template.flux)
    z = float(coarse.stretch[coarse.best]) - 1.0
    if math.isfinite(fit.velocity_kms):
        z = fit.velocity_kms / LIGHT_KMS
    return Match(template.name, chi2 / coarse.n_pixels, z, fit.is_trusted)


# How well a template fits at each of many trial velocities.
@dataclass(frozen=True, eq=False)
class Prepared:
    """The good pixels of a spectrum: fluxes near 1, their weights, and the polynomials."""

    wavelength: FloatArray
    flux: FloatArray
    weight: FloatArray
    polynomials: FloatArray  # chebyshev polynomials up to twice the order, one a row
    order: int
    smooth_misfit: float  # Chi2 of the polynomial alone, without a template
    scale: float  # the flux of the spectrum that counts as 1

    def only(self, keep: BoolArray) -> Prepared:
        if keep.all():
            return self
        pixels = self.wavelength[keep], self.flux[keep], self.weight[keep]
        return _prepared(*pixels, self.order, self.scale)


@dataclass(frozen=True, eq=False)
class Scan:
    """Chi2 at each trial 1 + z; infinite where the template covers too little."""

    stretch: FloatArray
    chi2: FloatArray
    n_pixels: int

    @property
    def best(self) -> int:
        return int(np.argmin(self.chi2))


def prepare(spectrum: Spectrum, order: int) -> Prepared | None:
    """What a scan needs of a spectrum; None with too few good pixels."""
    grid = pixel_grid(rebinned(spectrum, PIXEL_KMS))
    keep = grid.good & ~in_terrestrial(grid.wavelength)
    if keep.sum() < MIN_PIXELS:
        return None
    floor = FLOOR * np.maximum(np.abs(continuum_of(grid)), FLOOR)
    weight = 1.0 / (grid.sigma**2 + floor**2)
    return _prepared(grid.wavelength[keep], grid.flux[keep], weight[keep], order, grid.scale)


def scan(data: Prepared, wavelength: FloatArray, flux: FloatArray, stretch: FloatArray) -> Scan:
    """Fit the template at each 1 + z over all pixels; beyond its ends it goes on at their level.

    So the same pixels count everywhere, and what a template does not cover speaks against it.
    """
    template = _without_gaps(wavelength, flux)
    chunks = (stretch[first : first + CHUNK] for first in range(0, stretch.size, CHUNK))
    parts = [_scan(data, *template, chunk) for chunk in chunks]
    return Scan(stretch, np.concatenate(parts), data.wavelength.size)


def stretches(low: float, high: float, step_kms: float) -> FloatArray:
    """Trial 1 + z from low to high, equally spaced in their logarithm."""
    count = max(round(np.log(high / low) / (step_kms / LIGHT_KMS)), 1) + 1
    return np.geomspace(low, high, count)


def _prepared(
    wavelength: FloatArray, flux: FloatArray, weight: FloatArray, order: int, scale: float
) -> Prepared:
    x = _position(wavelength, wavelength)
    polynomials = np.asarray(np.polynomial.chebyshev.chebvander(x, 2 * order).T, np.float64)
    smooth = _misfit(flux, weight, polynomials, order, np.ones((1, flux.size)))
    return Prepared(wavelength, flux, weight, polynomials, order, float(smooth[0]), scale)


def _position(wavelength: FloatArray, pixels: FloatArray) -> FloatArray:
    """From -1 at the first pixel to 1 at the last, in the logarithm of the wavelength."""
    first, last = np.log(pixels[[0, -1]])
    return np.asarray(2.0 * (np.log(wavelength) - first) / (last - first) - 1.0)


def _scan(
    data: Prepared, wavelength: FloatArray, flux: FloatArray, stretch: FloatArray
) -> FloatArray:
    rest = data.wavelength[None, :] / stretch[:, None]
    covered = ((rest >= wavelength[0]) & (rest <= wavelength[-1])).mean(axis=1)
    model = np.interp(rest, wavelength, flux)
    chi2 = _misfit(data.flux, data.weight, data.polynomials, data.order, model)
    return np.where(covered >= MIN_COVERAGE, chi2, np.inf)


def _misfit(
    flux: FloatArray, weight: FloatArray, polynomials: FloatArray, order: int, model: FloatArray
) -> FloatArray:
    """Chi2 of each row of the model, by linear least squares."""
    factors, wanted = _fit(flux, weight, polynomials, order, model)
    chi2 = float(weight @ flux**2) - (factors * wanted).sum(axis=1)
    return np.asarray(np.maximum(chi2, 0.0))


def _fit(
    flux: FloatArray, weight: FloatArray, polynomials: FloatArray, order: int, model: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Factors of the polynomials for each row of the model, and the right-hand sides."""
    number = np.arange(order + 1)
    power = model**2 @ (weight * polynomials).T
    # The product of two Chebyshev polynomials is half the sum of two others.
    added = number[:, None] + number
    apart = np.abs(number[:, None] - number)
    normal = 0.5 * (power[:, added] + power[:, apart])
    wanted = model @ (weight * flux * polynomials[: order + 1]).T
    trace = np.trace(normal, axis1=1, axis2=2)
    normal += (1e-9 * trace + 1e-12)[:, None, None] * np.eye(order + 1)
    factors = np.asarray(np.linalg.solve(normal, wanted[:, :, None])[:, :, 0], np.float64)
    return factors, wanted


def _without_gaps(wavelength: FloatArray, flux: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The known points of a template, with the longest piece alone where it has gaps."""
    known = np.isfinite(wavelength) & np.isfinite(flux)
    wavelength, flux = wavelength[known], flux[known]
    starts = gap_starts(wavelength, GAP)
    edges = [0, *starts.tolist(), wavelength.size]
    pieces = [slice(a, b) for a, b in pairwise(edges)]
    longest = max(pieces, key=lambda each: each.stop - each.start)
    return wavelength[longest], flux[longest]
