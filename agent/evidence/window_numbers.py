"""Short texts with the features measured in a window, for small models to read with the picture."""

import math
from bisect import bisect
from functools import cache

from agent.evidence.feature_numbers import ABSORBED_ONLY, feature_numbers
from agent.evidence.feature_words import lines_of
from agent.evidence.features import FEATURES, plain_zero
from agent.evidence.kinds import builtin_kinds
from agent.evidence.measurements import SpectrumMeasurements
from agent.evidence.said_numbers import SaidNumbers
from agent.spectra.lines import builtin_lines
from agent.spectra.measure.index_definitions import builtin_indices
from agent.spectra.measure.noise import signal_to_noise
from agent.spectra.pixel_grid import doppler
from agent.spectra.spectrum import Window

MAX_ENTRIES = 10  # per window
CLEAR_SIGMA = 3.0
MAX_ERROR_FRACTION = 0.5  # of a feature's usual range; a larger error makes the value useless
SLACK = 8.0  # angstrom by which a feature may extend beyond the window

MARKS = ("(---)", "(--)", "(-)", "(=)", "(+)", "(++)", "(+++)")

# Features with one location in the spectrum, most informative first. Equivalent widths are
# negative in emission.
WINDOW_FEATURES = (
    "EW_H_alpha", "H_alpha_em_fwhm", "EW_H_beta", "H_beta_em_fwhm", "TiO5", "TiO5_excess", "CaH2",
    "CaH3", "CaH1", "NaI_8190", "CaT", "TiO_7054_edge", "TiO_4940", "C2_5165_edge", "C2_4737_edge",
    "C2_5636_edge", "ZrO_6474_edge", "ZrO_6474", "ZrO_6345_edge", "ZrO_6345", "ZrO_6378_edge",
    "ZrO_5718_edge", "YO_6132_edge", "LaO_7404_edge", "CN_7873_edge", "CN_8067_edge", "CN_7872",
    "VO_7896_edge", "VO1", "TiO_8860_edge", "TiO_6158_edge", "EW_BaII_6497", "Ba_4554",
    "MK_carbon", "MgH_5211_edge", "Mg_b", "Na_D", "H_beta_D2", "H_gamma_D2", "H_delta_D2",
    "EW_H_gamma", "EW_H_delta", "Dn4000", "CH_G4300", "EW_CaII_K", "H_11", "Balmer_jump_3720",
    "EW_HeI_4471", "EW_HeI_4026", "EW_HeI_5876", "EW_HeI_6678", "HeII_4542", "HeII_5411",
    "EW_HeII_4686", "EW_Bowen_4643", "EW_OIII_5007", "EW_OIII_4959", "EW_SII_6716",
    "EW_MgII_4481", "EW_CaII_8542", "EW_OI_8446", "EW_Pa_12", "EW_Pa_14", "CIV_5805",
    "EW_FeI_5270", "EW_LiI_6708", "EW_HeI_7065", "H_gamma_depth",
)  # fmt: skip

# Features given with the whole spectrum.
OVERVIEW_FEATURES = (
    "EW_H_alpha", "H_alpha_em_fwhm", "EW_H_beta", "H_beta_D2", "Dn4000", "EW_CaII_K",
    "EW_HeI_4471", "HeII_5411", "Mg_b", "C2_5165_edge", "TiO5", "CaH2", "ZrO_6474_edge",
    "H_delta_D2", "EW_OIII_5007", "colour_4200_5400", "colour_5400_6600", "colour_6600_7500",
    "bend",
)  # fmt: skip

# Left out where TiO bands are deep: there they describe the bands and dust rather than the kind,
# and a "line" of oxygen is the flux between two band heads.
CONTINUUM_GATES = frozenset(
    ("EW_OIII_5007", "colour_4200_5400", "colour_5400_6600", "colour_6600_7500", "bend")
)
DEEP_TIO5 = 0.85


def window_numbers(
    numbers: SpectrumMeasurements, low: float, high: float, z: float | None = None
) -> str:
    """One line with the S/N and the features in a window, by wavelength: label, mark and value.

    The mark ranks the value among all kinds of objects; a line or band head within three sigma of 0
    gets the mark of 0. The window is in the frame of the pictures (rest frame for `z`).
    """
    frame = 1.0 + (z or 0.0)
    noise = _noise(numbers, low * frame, high * frame)
    return "; ".join([noise, *window_entries(numbers, low, high, z).values()])


def overview_numbers(numbers: SpectrumMeasurements, z: float | None = None) -> str:
    """One line with the range and S/N of the whole spectrum and its overview features."""
    frame = 1.0 + (z or 0.0)
    low, high = numbers.spectrum.range
    reach = f"{low / frame:.0f} to {high / frame:.0f} Å"
    return "; ".join([reach, _noise(numbers, low, high), *overview_entries(numbers).values()])


def _noise(numbers: SpectrumMeasurements, low: float, high: float) -> str:
    snr = signal_to_noise(numbers.spectrum, low, high).value or 0.0
    return f"S/N {max(snr, 0.0):.0f}"


def overview_entries(numbers: SpectrumMeasurements) -> dict[str, str]:
    """Texts for the whole spectrum, by feature."""
    values = feature_numbers(numbers)
    ratio, error = values["TiO5"]
    has_deep_tio = ratio < DEEP_TIO5 and 1.0 - ratio > CLEAR_SIGMA * error
    return {
        name: _entry(name, *values[name])
        for name in OVERVIEW_FEATURES
        if _is_informative(name, *values[name]) and not (has_deep_tio and name in CONTINUUM_GATES)
    }


def window_entries(
    numbers: SpectrumMeasurements, low: float, high: float, z: float | None = None
) -> dict[str, str]:
    """Texts for the features in a window, by feature, sorted by wavelength."""
    values = feature_numbers(numbers)
    return {name: _entry(name, *values[name]) for name in _window_features(numbers, low, high, z)}


def note_window(said: SaidNumbers, low: float, high: float, z: float | None = None) -> None:
    """Note what `window_entries` names, for the record: lines as lines, the others as numbers."""
    values = feature_numbers(said.numbers)
    for name in _window_features(said.numbers, low, high, z):
        lines = lines_of(name)
        for line in lines:
            said.line(line)
        if not lines:
            said.value(FEATURES[name].label, *values[name], FEATURES[name].unit)


def _window_features(
    numbers: SpectrumMeasurements, low: float, high: float, z: float | None
) -> list[str]:
    """The informative features in a window, sorted by wavelength."""
    frame = 1.0 + (z or 0.0)
    shift = doppler(numbers.velocity_kms) / frame
    inside = [
        name
        for name in WINDOW_FEATURES
        if low - SLACK <= rest_window(name)[0] * shift
        and rest_window(name)[1] * shift <= high + SLACK
    ]
    values = feature_numbers(numbers)
    shown = [name for name in inside if _is_informative(name, *values[name])][:MAX_ENTRIES]
    return sorted(shown, key=lambda name: rest_window(name)[0])


def _entry(feature: str, value: float, error: float) -> str:
    sure = 0.0 if _may_be_absent(feature) and abs(value) < CLEAR_SIGMA * error else value
    return f"{FEATURES[feature].label} {MARKS[mark_index(feature, sure)]} {_format(feature, value)}"


def _may_be_absent(feature: str) -> bool:
    """Whether 0 means that there is nothing, as for lines and band heads."""
    index = builtin_indices().get(feature)
    if index is not None and index.head is not None:
        return True
    return FEATURES[feature].unit == "Å" and feature not in ABSORBED_ONLY


@cache
def rest_window(feature: str) -> Window:
    """The rest-frame range that a window must cover to show the feature."""
    name = feature.removesuffix("_em_fwhm").removeprefix("EW_")
    lines, indices = builtin_lines(), builtin_indices()
    if feature not in indices and name in lines:
        return lines[name].wavelength - SLACK, lines[name].wavelength + SLACK
    index = indices[feature]
    if index.head is not None:
        return index.head.wavelength - SLACK, index.head.wavelength + SLACK
    parts = [indices[term] for term in index.terms] or [index]
    windows = [window for part in parts for window in part.feature]
    return min(start for start, _ in windows), max(end for _, end in windows)


@cache
def _knots(feature: str) -> tuple[float, ...]:
    """The fitted model's knots without the middle ones; empty if the model lacks the feature."""
    kinds = builtin_kinds()
    if feature not in kinds.features:
        return ()
    knots = kinds.knots[kinds.features.index(feature)].tolist()
    return (*knots[: len(MARKS) // 2], *knots[-(len(MARKS) // 2) :])


def mark_index(feature: str, value: float) -> int:
    """Index of the mark for a value; the middle one if the model lacks the feature."""
    knots = _knots(feature)
    return bisect(knots, value) if knots else len(MARKS) // 2


def _is_informative(feature: str, value: float, error: float) -> bool:
    """Whether the value is measured with a useful error."""
    if not math.isfinite(value):
        return False
    knots = _knots(feature)
    usual_range = knots[-2] - knots[1] if knots else math.inf
    return error < MAX_ERROR_FRACTION * usual_range or abs(value) > CLEAR_SIGMA * error


def _format(feature: str, value: float) -> str:
    unit = FEATURES[feature].unit
    if unit == "km/s":
        return f"{float(f'{value:.2g}'):.0f} km/s"
    digits = 2 if not unit else 0 if abs(value) >= 9.95 else 1
    return plain_zero(f"{value:.{digits}f}")
