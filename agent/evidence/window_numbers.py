"""What is measured in a window, in words so short that a small model reads them beside its picture.

The numbers are those by which the measured inspector tells kinds of objects apart.
"""

from __future__ import annotations

import math
from bisect import bisect
from functools import cache

from agent.evidence.gate_numbers import ABSORBED_ONLY, gate_numbers
from agent.evidence.gates import GATES
from agent.evidence.kinds import builtin_kinds
from agent.evidence.numbers import SpectrumMeasurements
from agent.spectra.lines import builtin_lines
from agent.spectra.measure.index_definitions import builtin_indices
from agent.spectra.measure.noise import signal_to_noise
from agent.spectra.sampling import doppler
from agent.spectra.spectrum import Window

AT_MOST = 10
"""Numbers told of one window."""
CLEAR_SIGMA = 3.0
BLUNT = 0.5
"""Part of a number's usual range that its error may have before it says nothing."""
SLACK = 8.0
"""Angstrom by which a feature may reach out of the window."""

MARKS = ("(---)", "(--)", "(-)", "(=)", "(+)", "(++)", "(+++)")

TOLD = (
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
"""Gates that are seen in one place, the telling ones first; equivalent widths are negative in
emission."""

WHOLE = (
    "EW_H_alpha", "H_alpha_em_fwhm", "EW_H_beta", "H_beta_D2", "Dn4000", "EW_CaII_K",
    "EW_HeI_4471", "HeII_5411", "Mg_b", "C2_5165_edge", "TiO5", "CaH2", "ZrO_6474_edge",
    "H_delta_D2", "EW_OIII_5007", "colour_4200_5400", "colour_5400_6600", "colour_6600_7500",
    "bend",
)  # fmt: skip
"""Those told beside the whole spectrum, whichever window is looked at then."""

OF_SMOOTH_CONTINUA = frozenset(
    ("EW_OIII_5007", "colour_4200_5400", "colour_5400_6600", "colour_6600_7500", "bend")
)
"""Not told where TiO bands are deep: they say more of the bands and of dust than of the kind, and
a line of oxygen there is the flux between two heads."""
DEEP_TIO5 = 0.85


def window_numbers(
    numbers: SpectrumMeasurements, low: float, high: float, z: float | None = None
) -> str:
    """One line: the S/N, then what is measured between `low` and `high`, by wavelength: its name,
    a mark that says how high it is among all kinds of objects, and the value. A line or a band
    head within three errors of nothing has the mark of nothing.

    The window is in the frame of the pictures, which `z` moved.
    """
    frame = 1.0 + (z or 0.0)
    noise = _noise(numbers, low * frame, high * frame)
    return "; ".join([noise, *entries(numbers, low, high, z).values()])


def whole_numbers(numbers: SpectrumMeasurements, z: float | None = None) -> str:
    """One line on the whole spectrum: how far it reaches, its S/N, and what tells the families of
    objects apart."""
    frame = 1.0 + (z or 0.0)
    low, high = numbers.spectrum.range
    reach = f"{low / frame:.0f} to {high / frame:.0f} Å"
    return "; ".join([reach, _noise(numbers, low, high), *whole_entries(numbers).values()])


def _noise(numbers: SpectrumMeasurements, low: float, high: float) -> str:
    snr = signal_to_noise(numbers.spectrum, low, high).value or 0.0
    return f"S/N {max(snr, 0.0):.0f}"


def whole_entries(numbers: SpectrumMeasurements) -> dict[str, str]:
    """What is told of each gate beside the whole spectrum."""
    found = gate_numbers(numbers)
    banded = _has_deep_tio(*found["TiO5"])
    return {
        name: _entry(name, *found[name])
        for name in WHOLE
        if _is_told(name, *found[name]) and not (banded and name in OF_SMOOTH_CONTINUA)
    }


def _has_deep_tio(ratio: float, error: float) -> bool:
    return ratio < DEEP_TIO5 and 1.0 - ratio > CLEAR_SIGMA * error


def entries(
    numbers: SpectrumMeasurements, low: float, high: float, z: float | None = None
) -> dict[str, str]:
    """What is told of each gate seen in a window, by wavelength."""
    frame = 1.0 + (z or 0.0)
    shift = doppler(numbers.velocity_kms) / frame
    inside = [
        name
        for name in TOLD
        if low - SLACK <= place_of(name)[0] * shift and place_of(name)[1] * shift <= high + SLACK
    ]
    found = gate_numbers(numbers)
    told = [name for name in inside if _is_told(name, *found[name])][:AT_MOST]
    told.sort(key=lambda name: place_of(name)[0])
    return {name: _entry(name, *found[name]) for name in told}


def _entry(gate: str, value: float, error: float) -> str:
    sure = 0.0 if _may_be_absent(gate) and abs(value) < CLEAR_SIGMA * error else value
    return f"{GATES[gate].label} {MARKS[level(gate, sure)]} {_written(gate, value)}"


def _may_be_absent(gate: str) -> bool:
    """Lines and band heads: where 0 is nothing to see. Their marks are of what is surely there."""
    index = builtin_indices().get(gate)
    if index is not None and index.head is not None:
        return True
    return GATES[gate].unit == "Å" and gate not in ABSORBED_ONLY


@cache
def place_of(gate: str) -> Window:
    """The part of the spectrum, at rest, that must be seen to see it."""
    name = gate.removesuffix("_em_fwhm").removeprefix("EW_")
    lines, indices = builtin_lines(), builtin_indices()
    if gate not in indices and name in lines:
        at = lines[name].wavelength
        return at - SLACK, at + SLACK
    index = indices[gate]
    if index.head is not None:
        at = index.head.wavelength
        return at - SLACK, at + SLACK
    parts = [indices[term] for term in index.terms] or [index]
    windows = [window for part in parts for window in part.feature]
    return min(start for start, _ in windows), max(end for _, end in windows)


@cache
def _knots(gate: str) -> tuple[float, ...]:
    """Where the steps of the fitted model are: from the lowest to the highest of what all kinds of
    objects show, the middle one left out; nothing where the model does not use it."""
    kinds = builtin_kinds()
    if gate not in kinds.gates:
        return ()
    knots = kinds.knots[kinds.gates.index(gate)].tolist()
    return (*knots[: len(MARKS) // 2], *knots[-(len(MARKS) // 2) :])


def level(gate: str, value: float) -> int:
    """The number of the mark that goes with a value; the middle one where nothing is known."""
    knots = _knots(gate)
    return bisect(knots, value) if knots else len(MARKS) // 2


def _usual_range(gate: str) -> float:
    knots = _knots(gate)
    return knots[-2] - knots[1] if knots else math.inf


def _is_told(gate: str, value: float, error: float) -> bool:
    """Whether it is a number, and one that says something."""
    if not math.isfinite(value):
        return False
    blunt = not error < BLUNT * _usual_range(gate)
    return not blunt or abs(value) > CLEAR_SIGMA * error


def _written(gate: str, value: float) -> str:
    """Two digits; -0 is 0."""
    unit = GATES[gate].unit
    if unit == "km/s":
        return f"{float(f'{value:.2g}'):.0f} km/s"
    digits = 2 if not unit else 0 if abs(value) >= 9.95 else 1
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text
