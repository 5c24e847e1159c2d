"""Measures indices: ratios, pseudo equivalent widths, magnitudes, edges and widths."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from agent.spectra.measure.index_definitions import (
    AREAS,
    COMPOUNDS,
    PROFILES,
    RATIOS,
    Index,
    builtin_indices,
)
from agent.spectra.measure.measurement import Measurement, measured, refused
from agent.spectra.measure.sidebands import (
    CONTINUUM_SIGMA,
    Level,
    LinearContinuum,
    integrate_feature,
    linear_continuum,
)
from agent.spectra.pixel_grid import PixelGrid, WindowSums, doppler, pixel_grid
from agent.spectra.smoothing import smooth_box
from agent.spectra.spectrum import FloatArray, Spectrum, Window

MIN_COVERAGE = 0.75
MIN_PIXELS = 0.5
MIN_SUBDWARF_DIVISOR = 0.05
# The most serious problem of the windows is reported: the last of these.
PROBLEMS = ("", "windows narrower than a pixel", "too many bad pixels", "outside the spectrum")

SMOOTHING_A = 5.0  # width of the smoothing box, angstrom at rest
MIN_DEPTH = 0.03
MIN_DEPTH_SIGMA = 4.0


@dataclass(frozen=True, eq=False)
class IndexSet:
    """Indices with all their windows in two arrays, summed in one pass."""

    indices: tuple[Index, ...]
    lo: FloatArray
    hi: FloatArray
    first: Mapping[str, int]

    @classmethod
    def of(cls, indices: tuple[Index, ...]) -> IndexSet:
        windows: list[Window] = []
        first = {}
        for index in indices:
            first[index.name] = len(windows)
            windows += [*index.feature, *index.continuum]
        table = np.array(windows, dtype=np.float64).reshape(-1, 2)
        return cls(indices, table[:, 0].copy(), table[:, 1].copy(), first)


class _WindowLevel(NamedTuple):
    """Mean flux of one window; `problem` is an index into PROBLEMS."""

    level: Level
    n_pixels: float
    lo: float
    hi: float
    problem: int


@cache
def simple_index_set() -> IndexSet:
    simple = (index for index in builtin_indices().values() if index.kind not in COMPOUNDS)
    return IndexSet.of(tuple(simple))


def measure_index(spectrum: Spectrum, name: str | Index, velocity_kms: float = 0.0) -> Measurement:
    """Measure one index, given by name or definition, at the star's velocity."""
    known = builtin_indices()
    index = known.get(name) if isinstance(name, str) else name
    if index is None:
        return refused(str(name)[:60], "no index has this name")
    wanted = [known[term] for term in index.terms] if index.kind in COMPOUNDS else [index]
    values = measure_index_set(spectrum, IndexSet.of(tuple(wanted)), velocity_kms)
    return _compound(index, values) if index.kind in COMPOUNDS else values[index.name]


def measure_indices(
    spectrum: Spectrum, velocity_kms: float = 0.0, names: frozenset[str] | None = None
) -> dict[str, Measurement]:
    """Every built-in index by name, or at least those of these names."""
    simple = simple_index_set() if names is None else _needed_for(names)
    values = measure_index_set(spectrum, simple, velocity_kms)
    for index in builtin_indices().values():
        if index.kind in COMPOUNDS and (names is None or index.name in names):
            values[index.name] = _compound(index, values)
    return values


@cache
def _needed_for(names: frozenset[str]) -> IndexSet:
    """The indices of these names that are no compounds, and the terms of those that are."""
    known = builtin_indices()
    terms = {term for name in names if name in known for term in known[name].terms}
    every = (known[name] for name in sorted(names | terms) if name in known)
    return IndexSet.of(tuple(index for index in every if index.kind not in COMPOUNDS))


def measure_index_set(
    spectrum: Spectrum, index_set: IndexSet, velocity_kms: float = 0.0
) -> dict[str, Measurement]:
    """The indices of a set, which must not be compounds."""
    grid = pixel_grid(spectrum)
    shift = doppler(velocity_kms)
    if not (grid.is_usable and math.isfinite(shift) and shift > 0):
        reason = "no good pixels" if shift > 0 else "no such velocity"
        return {index.name: refused(index.name, reason, index.unit) for index in index_set.indices}
    lo, hi = index_set.lo * shift, index_set.hi * shift
    sums = grid.sums(lo, hi)
    columns = (sums.mean, sums.error, sums.centre, sums.n_pixels, lo, hi)
    windows = [
        _WindowLevel(Level(mean, error, centre), n_pixels, low, high, problem)
        for mean, error, centre, n_pixels, low, high, problem in zip(
            *(column.tolist() for column in columns), _problems(grid, lo, hi, sums), strict=True
        )
    ]
    values = {}
    for index in index_set.indices:
        start = index_set.first[index.name]
        n_windows = len(index.feature) + len(index.continuum)
        values[index.name] = _measure(grid, index, windows[start : start + n_windows], shift)
    return values


def _measure(
    grid: PixelGrid, index: Index, windows: list[_WindowLevel], shift: float
) -> Measurement:
    feature, continuum = windows[: len(index.feature)], windows[len(index.feature) :]
    span = (min(window.lo for window in feature), max(window.hi for window in feature))
    n_pixels = round(sum(window.n_pixels for window in feature))
    problem = max([window.problem for window in windows])
    if problem:
        return refused(index.name, PROBLEMS[problem], index.unit, span, n_pixels)
    if index.kind in RATIOS:
        result = _ratio(index, feature, continuum)
    elif index.kind == "edge":
        result = _edge(feature, continuum)
    else:
        line = linear_continuum(continuum[0].level, continuum[1].level)
        if isinstance(line, str):
            result = line
        elif index.kind in AREAS:
            result = _area(grid, index, line, span, shift)
        else:
            assert index.kind in PROFILES
            inside = (continuum[0].hi, continuum[1].lo)
            result = measure_trough(grid, line, span, inside, index, shift)
    if isinstance(result, str):
        return refused(index.name, result, index.unit, span, n_pixels)
    return measured(index.name, result[0], result[1], index.unit, span, n_pixels)


Result = tuple[float, float] | str  # value and error, or the reason why there is none


def _problems(grid: PixelGrid, lo: FloatArray, hi: FloatArray, sums: WindowSums) -> list[int]:
    outside = (lo < grid.edges[0]) | (hi > grid.edges[-1])
    states = [outside, sums.coverage < MIN_COVERAGE, sums.n_pixels < MIN_PIXELS]
    return [int(number) for number in np.select(states, [3, 2, 1], 0)]


def _ratio(index: Index, feature: list[_WindowLevel], continuum: list[_WindowLevel]) -> Result:
    dividend = _weighted(feature, tuple(window.hi - window.lo for window in feature))
    divisor = _weighted(continuum, index.weights)
    if index.kind == "fnu_ratio":
        dividend = dividend.times((dividend.centre / divisor.centre) ** 2)
    if index.kind == "inverse_ratio":
        dividend, divisor = divisor, dividend
    if not divisor.mean > CONTINUUM_SIGMA * divisor.error:
        return "the divisor is not above the noise"
    ratio = dividend.mean / divisor.mean
    return ratio, math.hypot(dividend.error, ratio * divisor.error) / divisor.mean


def _weighted(windows: list[_WindowLevel], weights: tuple[float, ...]) -> Level:
    if len(windows) == 1:
        return windows[0].level
    weights = weights or (1.0,) * len(windows)
    total = sum(weights)
    pairs = [
        (weight / total, window.level) for weight, window in zip(weights, windows, strict=True)
    ]
    return Level(
        sum(part * level.mean for part, level in pairs),
        math.sqrt(sum((part * level.error) ** 2 for part, level in pairs)),
        sum(part * level.centre for part, level in pairs),
    )


def _edge(feature: list[_WindowLevel], continuum: list[_WindowLevel]) -> Result:
    """Relative step from the bright to the dark side, corrected for the slope."""
    bright, dark = feature[0].level, feature[1].level
    blue, red = continuum[0].level, continuum[1].level
    part = (bright.centre - dark.centre) / (red.centre - blue.centre)
    levelled = dark.mean + part * (red.mean - blue.mean)
    brighter = max(bright.mean, levelled)
    error = math.hypot(bright.error, dark.error, part * red.error, part * blue.error)
    if not brighter > CONTINUUM_SIGMA * error:
        return "the flux beside the head is not above the noise"
    return (bright.mean - levelled) / brighter, error / brighter


def _area(
    grid: PixelGrid, index: Index, continuum: LinearContinuum, span: Window, shift: float
) -> Result:
    area = integrate_feature(grid, continuum, span, index.exclude)
    if isinstance(area, str):
        return area
    if index.kind == "ew":
        return area.width / shift, area.error / shift
    left = 1.0 - area.width / area.covered
    if left <= 0:
        return "no flux is left in the feature"
    return -2.5 * math.log10(left), 2.5 / math.log(10) * area.error / area.covered / left


def _compound(index: Index, simple: Mapping[str, Measurement]) -> Measurement:
    terms = [simple[term] for term in index.terms]
    for term in terms:
        if term.value is None:
            return refused(index.name, f"{term.name}: {term.reason}", terms[0].unit)
    values = [term.number for term in terms]
    errors = [term.error or 0.0 for term in terms]
    window = terms[0].window
    n_pixels = sum(term.n_pixels for term in terms)
    if index.kind == "sum":
        unit = terms[0].unit
        return measured(index.name, sum(values), math.hypot(*errors), unit, window, n_pixels)
    if index.kind == "zeta":
        result = _subdwarf_zeta(values, errors)
    elif index.kind == "tio_excess":
        result = _tio_excess(values, errors)
    elif values[1] < index.minimum_divisor or values[1] == 0:
        result = f"{terms[1].name} is below {index.minimum_divisor:g}"
    else:
        ratio = values[0] / values[1]
        result = ratio, math.hypot(errors[0], ratio * errors[1]) / abs(values[1])
    if isinstance(result, str):
        return refused(index.name, result, "", window, n_pixels)
    return measured(index.name, result[0], result[1], "", window, n_pixels)


def _subdwarf_zeta(values: list[float], errors: list[float]) -> Result:
    """(1 - TiO5) relative to a dwarf of solar metallicity with the same CaH."""
    tio5, cah2, cah3 = values
    expected, steepness = _dwarf_tio5(cah2 + cah3)
    divisor = 1.0 - expected
    if divisor < MIN_SUBDWARF_DIVISOR:
        return "CaH is too weak"
    value = (1.0 - tio5) / divisor
    slope = value / divisor * steepness
    return value, math.hypot(errors[0] / divisor, slope * math.hypot(*errors[1:]))


def _tio_excess(values: list[float], errors: list[float]) -> Result:
    """How much deeper TiO5 is than in a dwarf with the same CaH; positive in giants."""
    tio5, cah2, cah3 = values
    expected, steepness = _dwarf_tio5(cah2 + cah3)
    return expected - tio5, math.hypot(errors[0], steepness * math.hypot(*errors[1:]))


def _dwarf_tio5(cah: float) -> tuple[float, float]:
    """TiO5 of a dwarf of solar metallicity at CaH2 + CaH3 (Lepine 2007), and its derivative."""
    value = -0.164 * cah**3 + 0.670 * cah**2 - 0.118 * cah - 0.050
    return value, -0.492 * cah**2 + 1.340 * cah - 0.118


def measure_trough(
    grid: PixelGrid,
    continuum: LinearContinuum,
    centre: Window,
    inside: Window,
    index: Index,
    shift: float,
) -> tuple[float, float] | str:
    """Value and error of a `width` (angstrom at rest) or `minimum` index, or why there is none.

    The lowest point is searched in `centre`, the flanks up to the ends of `inside`.
    """
    pixels = grid.slice(*inside)
    wavelength, good = grid.wavelength[pixels], grid.good[pixels]
    if wavelength.size < 5 or good.mean() < 0.75:
        return "too few good pixels"
    expected = continuum.at(wavelength)
    if not expected.min() > 0:
        return "the continuum falls below zero"
    width_px = max(1.0, SMOOTHING_A * shift / float(np.median(grid.width[pixels])))
    flux = smooth_box(grid.flux[pixels] / expected, np.ones_like(good), width_px)
    n_averaged = max(1, 2 * round((width_px - 1) / 2) + 1)
    sigma = grid.sigma[pixels] / expected / math.sqrt(n_averaged)
    middle = np.flatnonzero((wavelength >= centre[0]) & (wavelength <= centre[1]))
    if not middle.size:
        return "no pixel at the line's centre"
    lowest = int(middle[np.argmin(flux[middle])])
    depth, error = 1.0 - float(flux[lowest]), float(sigma[lowest])
    if index.kind == "minimum":
        return 1.0 - depth, error
    if depth < max(MIN_DEPTH, MIN_DEPTH_SIGMA * error):
        return "no absorption deep enough"
    level = 1.0 - 0.5 * depth if index.level == "half_depth" else 0.8
    if flux[lowest] >= level:
        return "the line is not that deep"
    sides = [_crossing(wavelength, flux, sigma, lowest, step, level) for step in (-1, 1)]
    if sides[0] is None or sides[1] is None:
        return "the line reaches beyond its continuum windows"
    # The level moves by half the error of the depth, on both flanks alike.
    level_error = 0.5 * error * (sides[0][2] + sides[1][2]) if index.level == "half_depth" else 0.0
    return (
        (sides[1][0] - sides[0][0]) / shift,
        math.hypot(sides[0][1], sides[1][1], level_error) / shift,
    )


def _crossing(
    wavelength: FloatArray,
    flux: FloatArray,
    sigma: FloatArray,
    lowest: int,
    step: int,
    level: float,
) -> tuple[float, float, float] | None:
    """Where the profile first rises through `level`, its error, and angstrom per unit of flux."""
    side = flux[lowest:] if step > 0 else flux[lowest::-1]
    above = np.flatnonzero(side >= level)
    if not above.size:
        return None
    outer = lowest + step * int(above[0])
    inner = outer - step
    rise = float(flux[outer] - flux[inner])
    part = (level - float(flux[inner])) / rise
    crossing = float(wavelength[inner] + part * (wavelength[outer] - wavelength[inner]))
    # The slope over a few pixels: between two noisy ones it is meaningless.
    left, right = max(0, min(inner, outer) - 2), min(flux.size - 1, max(inner, outer) + 2)
    slope = abs(float(flux[right] - flux[left])) / float(wavelength[right] - wavelength[left])
    per_flux = 1.0 / max(slope, 1e-3 * level)
    return crossing, float(sigma[inner]) * per_flux, per_flux
