"""How well a template fits a spectrum at each of many trial velocities.

The continuum is removed by a low-order polynomial that multiplies the template. The trial
velocities are equally spaced in the logarithm of the wavelength, so the misfit over them is the
weighted cross-correlation of the two turned upside down.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from agent.spectra.gaps import gap_starts
from agent.spectra.instrument import terrestrial_range
from agent.spectra.lines import builtin_lines
from agent.spectra.measure.continuum import continuum_of
from agent.spectra.pixel_grid import LIGHT_KMS, pixel_grid
from agent.spectra.rebinning import rebinned
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum

FLOOR = 0.02
"""Smallest error relative to the continuum: no template is better than that."""
PIXEL_KMS = 25.0
"""Finer spectra are rebinned to this."""
TEMPLATE_GAP = 6.0
MIN_PIXELS = 50
MIN_COVERAGE = 0.4
"""Share of the good pixels that a template must cover."""
CHUNK = 128
"""Trial velocities at a time, which bounds the memory."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """The good pixels of a spectrum: fluxes near 1, their weights, and the polynomials."""

    wavelength: FloatArray
    flux: FloatArray
    weight: FloatArray
    polynomials: FloatArray
    """Chebyshev polynomials up to twice the order, one a row."""
    order: int
    smooth_misfit: float
    """Chi2 of the polynomial alone, without a template."""

    def only(self, keep: BoolArray) -> Prepared:
        if keep.all():
            return self
        return _prepared(self.wavelength[keep], self.flux[keep], self.weight[keep], self.order)


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
    if grid.good.sum() < MIN_PIXELS:
        return None
    keep = grid.good & ~_is_terrestrial(grid.wavelength)
    if keep.sum() < MIN_PIXELS:
        return None
    floor = FLOOR * np.maximum(np.abs(continuum_of(grid)), FLOOR)
    weight = 1.0 / (grid.sigma**2 + floor**2)
    return _prepared(grid.wavelength[keep], grid.flux[keep], weight[keep], order)


def scan(
    data: Prepared, wavelength_rest: FloatArray, flux: FloatArray, stretch: FloatArray
) -> Scan:
    """Fit the template at each 1 + z over all pixels; beyond its ends it goes on at their level.

    So the same pixels count everywhere, and what a template does not cover speaks against it.
    """
    template = _without_gaps(wavelength_rest, flux)
    parts = [
        _scan(data, *template, stretch[first : first + CHUNK])
        for first in range(0, stretch.size, CHUNK)
    ]
    return Scan(stretch, np.concatenate(parts), data.wavelength.size)


def stretches(low: float, high: float, step_kms: float) -> FloatArray:
    """Trial 1 + z from low to high, equally spaced in their logarithm."""
    count = max(round(np.log(high / low) / (step_kms / LIGHT_KMS)), 1) + 1
    return np.geomspace(low, high, count)


def _prepared(wavelength: FloatArray, flux: FloatArray, weight: FloatArray, order: int) -> Prepared:
    x = np.log(wavelength)
    x = 2.0 * (x - x[0]) / (x[-1] - x[0]) - 1.0
    polynomials = np.polynomial.chebyshev.chebvander(x, 2 * order).T
    smooth = _misfit(flux, weight, polynomials, order, np.ones((1, flux.size)))
    return Prepared(wavelength, flux, weight, polynomials, order, float(smooth[0]))


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
    number = np.arange(order + 1)
    power = model**2 @ (weight * polynomials).T
    # The product of two Chebyshev polynomials is half the sum of two others.
    added = number[:, None] + number
    apart = np.abs(number[:, None] - number)
    normal = 0.5 * (power[:, added] + power[:, apart])
    wanted = model @ (weight * flux * polynomials[: order + 1]).T
    trace = np.trace(normal, axis1=1, axis2=2)
    normal += (1e-9 * trace + 1e-12)[:, None, None] * np.eye(order + 1)
    factors = np.linalg.solve(normal, wanted[:, :, None])[:, :, 0]
    chi2 = float(weight @ flux**2) - (factors * wanted).sum(axis=1)
    return np.asarray(np.maximum(chi2, 0.0))


def _is_terrestrial(wavelength: FloatArray) -> BoolArray:
    """Pixels in sky lines and telluric bands."""
    inside = np.zeros(wavelength.size, dtype=np.bool_)
    for line in builtin_lines().terrestrial:
        low, high = terrestrial_range(line)
        inside |= (wavelength > low) & (wavelength < high)
    return inside


def _without_gaps(wavelength: FloatArray, flux: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The known points of a template, with the longest piece alone where it has gaps."""
    known = np.isfinite(wavelength) & np.isfinite(flux)
    wavelength, flux = wavelength[known], flux[known]
    starts = gap_starts(wavelength, TEMPLATE_GAP)
    edges = [0, *starts.tolist(), wavelength.size]
    pieces = [slice(a, b) for a, b in pairwise(edges)]
    longest = max(pieces, key=lambda each: each.stop - each.start)
    return wavelength[longest], flux[longest]
