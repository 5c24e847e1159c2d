"""Measures the features: the numbers that tell kinds of objects apart."""

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from agent.evidence.features import FEATURES
from agent.evidence.measurements import SpectrumMeasurements
from agent.spectra.measure.continuum import CLEAR_WINDOWS
from agent.spectra.measure.line_search import ON_HUMP
from agent.spectra.measure.measurement import LineMeasurement, Measurement, measured, refused
from agent.spectra.pixel_grid import pixel_grid
from agent.spectra.spectrum import Spectrum

FeatureValue = tuple[float, float]  # a value and its error, NaN if not measured
NOT_MEASURED: FeatureValue = (math.nan, math.nan)

PROFILES = ("H_alpha", "H_beta")
# The weaker of two signs that must occur together: one alone may be an artefact or a blend. For
# emission lines the weaker one has the larger equivalent width.
BOTH: Mapping[str, tuple[Callable[[FeatureValue, FeatureValue], FeatureValue], str, str]] = (
    MappingProxyType(
        {
            name: (max if which == "max" else min, one, other)
            for name, each in FEATURES.items()
            for which, one, other in ([each.weaker_of.split()] if each.weaker_of else ())
        }
    )
)
# In a cool star these windows contain metal lines and molecules, so the values mean nothing.
HOT_ONLY = frozenset(name for name, each in FEATURES.items() if "hot" in each.only_in)
# Widths and depths of absorption: with Hβ in emission they would measure its core and the gaps.
ABSORBED_ONLY = frozenset(name for name, each in FEATURES.items() if "absorption" in each.only_in)
EMISSION_EW, EMISSION_SIGMA = 2.0, 3.0

MIN_WINDOWS = 6
MIN_COVERAGE = 0.75
WINDOWS = np.array(CLEAR_WINDOWS)


@lru_cache(maxsize=4)
def feature_numbers(
    numbers: SpectrumMeasurements, *, profiles: bool = True
) -> Mapping[str, FeatureValue]:
    """All features by name; without `profiles` those that need a fitted line are not measured."""
    values: dict[str, FeatureValue] = {}
    for line in PROFILES:
        names = (f"{line}_peak", f"{line}_em_fwhm", f"{line}_abs_fwhm")
        values |= dict.fromkeys(names, NOT_MEASURED)
        if profiles:
            values |= _profile(line, numbers.line(line))
    values["bend"] = _with_error(continuum_bend(numbers.spectrum))
    for name in FEATURES:
        if name not in values and name not in BOTH:
            values[name] = _with_error(numbers.index(name))
    for name, (weaker, *pair) in BOTH.items():
        first, second = (values.get(part) or _with_error(numbers.index(part)) for part in pair)
        known = math.isfinite(first[0]) and math.isfinite(second[0])
        values[name] = weaker(first, second) if known else NOT_MEASURED
    # Not by magnesium alone: such stars kept these features when the weights were fitted.
    if numbers.cool_indicator in ("break", "TiO"):
        values |= dict.fromkeys(HOT_ONLY, NOT_MEASURED)
    width, error = values["EW_H_beta"]
    if width < -max(EMISSION_EW, EMISSION_SIGMA * error):
        values |= dict.fromkeys(ABSORBED_ONLY, NOT_MEASURED)
    return MappingProxyType(values)


def _with_error(found: Measurement) -> FeatureValue:
    return NOT_MEASURED if found.value is None else (found.value, found.error or 0.0)


def _profile(name: str, line: LineMeasurement) -> dict[str, FeatureValue]:
    """Peak over the continuum and width of a line; empty if it is not detected.

    Empty for a line on a hump between bands, too: when the weights were fitted it had neither.
    """
    values: dict[str, FeatureValue] = {}
    if line.is_detected and line.peak is not None and ON_HUMP not in line.flags:
        values[f"{name}_peak"] = (line.peak, abs(line.peak) / max(line.significance, 1e-3))
        if line.fwhm_kms is not None and line.fwhm and line.fwhm_error is not None:
            error = line.fwhm_error / line.fwhm * max(line.fwhm_kms, 150.0)
            kind = "em" if line.peak > 0 else "abs"
            values[f"{name}_{kind}_fwhm"] = (line.fwhm_kms, error)
    return values


def continuum_bend(spectrum: Spectrum) -> Measurement:
    """RMS of ln flux about its best power law, over windows free of strong lines."""
    grid = pixel_grid(spectrum)
    if not grid.is_usable:
        return refused("bend", "no good pixels")
    sums = grid.sums(WINDOWS[:, 0], WINDOWS[:, 1])
    usable = (sums.coverage > MIN_COVERAGE) & (sums.mean > 3 * sums.error)
    if usable.sum() < MIN_WINDOWS:
        return refused("bend", "too few windows above the noise")
    x, y = np.log(sums.centre[usable]), np.log(sums.mean[usable])
    rest = y - np.polyval(np.polyfit(x, y, 1), x)
    noise = float(np.sqrt(np.mean((sums.error[usable] / sums.mean[usable]) ** 2)))
    bend = math.sqrt(float(np.mean(rest**2)))
    return measured("bend", bend, noise / math.sqrt(float(usable.sum())))
