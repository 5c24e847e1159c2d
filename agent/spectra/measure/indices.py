"""Measuring the indices: ratios, pseudo equivalent widths, magnitudes, edges, widths."""

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
from agent.spectra.measure.sidebands import Level, SideLine, integrate_line, side_line
from agent.spectra.measure.troughs import measure_trough
from agent.spectra.sampling import PixelGrid, WindowSums, doppler, sample
from agent.spectra.spectrum import FloatArray, Spectrum, Window

MIN_COVERAGE = 0.75
MIN_PIXELS = 0.5
CONTINUUM_SIGMA = 3.0
"""A continuum below this many of its errors is not one to divide by."""
MIN_SUBDWARF_DIVISOR = 0.05
TROUBLES = ("", "windows narrower than a pixel", "too many bad pixels", "outside the spectrum")
"""The gravest last: it is the one told."""


@dataclass(frozen=True, eq=False)
class IndexSet:
    """Indices with all their windows in two arrays, so that one pass sums them all."""

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


class _Window(NamedTuple):
    """Sums of one window as plain numbers."""

    level: Level
    n_pixels: float
    lo: float
    hi: float
    trouble: int
    """Place in TROUBLES."""


@cache
def whole_battery() -> IndexSet:
    simple = (index for index in builtin_indices().values() if index.kind not in COMPOUNDS)
    return IndexSet.of(tuple(simple))


def measure_index(spectrum: Spectrum, name: str | Index, velocity_kms: float = 0.0) -> Measurement:
    """One index by name (or by its definition), windows shifted to the star's velocity."""
    known = builtin_indices()
    index = known.get(name) if isinstance(name, str) else name
    if index is None:
        return refused(str(name)[:60], "no index has this name")
    wanted = [known[term] for term in index.terms] if index.kind in COMPOUNDS else [index]
    found = measure_battery(spectrum, IndexSet.of(tuple(wanted)), velocity_kms)
    return _compound(index, found) if index.kind in COMPOUNDS else found[index.name]


def measure_indices(spectrum: Spectrum, velocity_kms: float = 0.0) -> dict[str, Measurement]:
    """Every index we know, by name."""
    found = measure_battery(spectrum, whole_battery(), velocity_kms)
    for index in builtin_indices().values():
        if index.kind in COMPOUNDS:
            found[index.name] = _compound(index, found)
    return found


def measure_battery(
    spectrum: Spectrum, battery: IndexSet, velocity_kms: float = 0.0
) -> dict[str, Measurement]:
    """The simple indices of a battery, all windows summed in one pass."""
    sampling = sample(spectrum)
    shift = doppler(velocity_kms)
    if not (sampling.is_usable and math.isfinite(shift) and shift > 0):
        reason = "no good pixels" if shift > 0 else "no such velocity"
        return {index.name: refused(index.name, reason, index.unit) for index in battery.indices}
    lo, hi = battery.lo * shift, battery.hi * shift
    sums = sampling.sums(lo, hi)
    columns = (sums.mean, sums.error, sums.centre, sums.n_pixels, lo, hi)
    windows = [
        _Window(Level(mean, error, centre), n_pixels, low, high, trouble)
        for mean, error, centre, n_pixels, low, high, trouble in zip(
            *(column.tolist() for column in columns), _troubles(sampling, lo, hi, sums), strict=True
        )
    ]
    found = {}
    for index in battery.indices:
        start = battery.first[index.name]
        n_windows = len(index.feature) + len(index.continuum)
        found[index.name] = _measure(sampling, index, windows[start : start + n_windows], shift)
    return found


def _measure(
    sampling: PixelGrid, index: Index, windows: list[_Window], shift: float
) -> Measurement:
    feature, continuum = windows[: len(index.feature)], windows[len(index.feature) :]
    span = (feature[0].lo, feature[0].hi)
    n_pixels = round(feature[0].n_pixels)
    if len(feature) > 1:
        span = (min(window.lo for window in feature), max(window.hi for window in feature))
        n_pixels = round(sum(window.n_pixels for window in feature))
    trouble = max([window.trouble for window in windows])
    if trouble:
        return refused(index.name, TROUBLES[trouble], index.unit, span, n_pixels)
    if index.kind in RATIOS:
        answer = _ratio(index, feature, continuum)
    elif index.kind == "edge":
        answer = _edge(feature, continuum)
    else:
        line = side_line(continuum[0].level, continuum[1].level, CONTINUUM_SIGMA)
        if isinstance(line, str):
            answer = line
        elif index.kind in AREAS:
            answer = _area(sampling, index, line, span, shift)
        else:
            assert index.kind in PROFILES
            answer = measure_trough(
                sampling, line, span, (continuum[0].hi, continuum[1].lo), index, shift
            )
    if isinstance(answer, str):
        return refused(index.name, answer, index.unit, span, n_pixels)
    return measured(index.name, answer[0], answer[1], index.unit, span, n_pixels)


Answer = tuple[float, float] | str
"""Value and error, or the reason why there is none."""


def _troubles(sampling: PixelGrid, lo: FloatArray, hi: FloatArray, sums: WindowSums) -> list[int]:
    outside = (lo < sampling.edges[0]) | (hi > sampling.edges[-1])
    states = [outside, sums.coverage < MIN_COVERAGE, sums.n_pixels < MIN_PIXELS]
    return [int(number) for number in np.select(states, [3, 2, 1], 0)]


def _ratio(index: Index, feature: list[_Window], continuum: list[_Window]) -> Answer:
    over = _weighted(feature, tuple(window.hi - window.lo for window in feature))
    under = _weighted(continuum, index.weights)
    if index.kind == "fnu_ratio":
        over = over.times((over.centre / under.centre) ** 2)
    if index.kind == "inverse_ratio":
        over, under = under, over
    if not under.mean > CONTINUUM_SIGMA * under.error:
        return "the divisor is not above the noise"
    ratio = over.mean / under.mean
    return ratio, math.hypot(over.error, ratio * under.error) / under.mean


def _weighted(windows: list[_Window], weights: tuple[float, ...]) -> Level:
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


def _edge(feature: list[_Window], continuum: list[_Window]) -> Answer:
    """Step from the bright to the dark side as a part of the brighter, the slope taken out."""
    bright, dark = feature[0].level, feature[1].level
    blue, red = continuum[0].level, continuum[1].level
    part = (bright.centre - dark.centre) / (red.centre - blue.centre)
    levelled = dark.mean + part * (red.mean - blue.mean)
    brighter = max(bright.mean, levelled)
    error = math.hypot(bright.error, dark.error, part * red.error, part * blue.error)
    if not brighter > CONTINUUM_SIGMA * error:
        return "the flux beside the head is not above the noise"
    return (bright.mean - levelled) / brighter, error / brighter


def _area(sampling: PixelGrid, index: Index, line: SideLine, span: Window, shift: float) -> Answer:
    area = integrate_line(sampling, line, span, index.exclude)
    if isinstance(area, str):
        return area
    if index.kind == "ew":
        return area.width / shift, area.error / shift
    left = 1.0 - area.width / area.covered
    if left <= 0:
        return "no flux is left in the feature"
    return -2.5 * math.log10(left), 2.5 / math.log(10) * area.error / area.covered / left


def _compound(index: Index, found: Mapping[str, Measurement]) -> Measurement:
    terms = [found[term] for term in index.terms]
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
        answer = _subdwarf_zeta(*values, *errors)
    elif index.kind == "tio_excess":
        answer = _tio_excess(*values, *errors)
    elif values[1] < index.minimum_divisor or values[1] == 0:
        answer = f"{terms[1].name} is below {index.minimum_divisor:g}"
    else:
        ratio = values[0] / values[1]
        answer = ratio, math.hypot(errors[0], ratio * errors[1]) / abs(values[1])
    if isinstance(answer, str):
        return refused(index.name, answer, "", window, n_pixels)
    return measured(index.name, answer[0], answer[1], "", window, n_pixels)


def _subdwarf_zeta(
    tio5: float, cah2: float, cah3: float, tio5_error: float, cah2_error: float, cah3_error: float
) -> Answer:
    """(1 - TiO5) over what a dwarf of solar metallicity has at this CaH."""
    expected, steepness = _dwarf_tio5(cah2 + cah3)
    divisor = 1.0 - expected
    if divisor < MIN_SUBDWARF_DIVISOR:
        return "CaH is too weak"
    value = (1.0 - tio5) / divisor
    slope = value / divisor * steepness
    return value, math.hypot(tio5_error / divisor, slope * math.hypot(cah2_error, cah3_error))


def _tio_excess(
    tio5: float, cah2: float, cah3: float, tio5_error: float, cah2_error: float, cah3_error: float
) -> Answer:
    """How much deeper TiO5 is than in a dwarf with this CaH: giants are positive."""
    expected, steepness = _dwarf_tio5(cah2 + cah3)
    return expected - tio5, math.hypot(tio5_error, steepness * math.hypot(cah2_error, cah3_error))


def _dwarf_tio5(cah: float) -> tuple[float, float]:
    """TiO5 of a dwarf of solar metallicity at CaH2 + CaH3 (Lepine 2007), and its derivative."""
    value = -0.164 * cah**3 + 0.670 * cah**2 - 0.118 * cah - 0.050
    return value, -0.492 * cah**2 + 1.340 * cah - 0.118
