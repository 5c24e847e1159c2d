"""The fixed list of numbers that describes a spectrum to classifiers and comparisons."""

import math
from functools import cache

import numpy as np

from agent.spectra.measure.continuum import power_law_index
from agent.spectra.measure.index_definitions import builtin_indices
from agent.spectra.measure.indices import measure_indices
from agent.spectra.measure.line_measure import measure_line
from agent.spectra.measure.measurement import LineMeasurement
from agent.spectra.measure.noise import quality, signal_to_noise
from agent.spectra.spectrum import Spectrum

PROFILE_LINES = ("H_alpha", "H_beta")
SLOPES = ((4000.0, 5700.0), (5900.0, 8200.0), (4000.0, 8200.0))
SNR_RANGES = {
    "snr_3900": (3800.0, 4000.0), "snr_4500": (4400.0, 4600.0), "snr_5300": (5200.0, 5400.0),
    "snr_6500": (6400.0, 6600.0), "snr_7500": (7450.0, 7570.0), "snr_8500": (8400.0, 8700.0),
}  # fmt: skip
MAX_VALUE = 1e6


def feature_vector(spectrum: Spectrum, velocity_kms: float = 0.0) -> dict[str, float]:
    """Every number by name, always in the same order; NaN if it cannot be measured."""
    indices = measure_indices(spectrum, velocity_kms)
    values = {name: indices[name].number for name in builtin_indices()}
    for line in PROFILE_LINES:
        values |= _profile_numbers(line, measure_line(spectrum, line, velocity_kms))
    for lo, hi in SLOPES:
        slope = power_law_index(spectrum, lo, hi)
        values[slope.name] = slope.number
    values |= _noise_numbers(spectrum)
    return {name: _bounded(value) for name, value in values.items()}


@cache
def feature_names() -> tuple[str, ...]:
    """The names of `feature_vector`, in its order."""
    smallest = Spectrum(wavelength=np.array([5000.0, 5001.0]), flux=np.zeros(2))
    return tuple(feature_vector(smallest))


def _profile_numbers(name: str, line: LineMeasurement) -> dict[str, float]:
    separation = line.separation_kms
    if line.is_detected and separation is None:
        separation = 0.0
    return {
        f"{name}_fwhm_kms": _or_nan(line.fwhm_kms),
        f"{name}_peak": _or_nan(line.peak),
        f"{name}_significance": line.significance,
        f"{name}_separation_kms": _or_nan(separation),
    }


def _noise_numbers(spectrum: Spectrum) -> dict[str, float]:
    state = quality(spectrum)
    numbers = {name: signal_to_noise(spectrum, *span).number for name, span in SNR_RANGES.items()}
    return numbers | {
        "snr_blue": state.snr_blue.number, "snr_red": state.snr_red.number,
        "bad_fraction": state.bad_fraction, "negative_fraction": state.negative_fraction,
        "join_step": state.join_step.number, "noise_ratio": _or_nan(state.noise_ratio),
    }  # fmt: skip


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _bounded(value: float) -> float:
    """Clipped, since a ratio to a continuum near zero can be any number."""
    return math.nan if math.isnan(value) else min(max(value, -MAX_VALUE), MAX_VALUE)
