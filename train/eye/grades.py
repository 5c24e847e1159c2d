"""Words for what the eye sees: a phrase for each quantity and each of seven grades of it."""

from __future__ import annotations

from bisect import bisect
from functools import cache

import numpy as np

from agent.evidence.gates import CLEAR_STEP, GATES
from agent.evidence.window_numbers import WINDOW_GATES
from agent.spectra.spectrum import FloatArray, Window
from train.eye.targets import asked_gates, knots, within

GRADES = 7
PER_WINDOW = 8
"""Quantities that are told of a window."""
WHOLE = (
    "EW_H_alpha", "EW_H_beta", "Dn4000", "Mg_b", "C2_5165_edge", "TiO5",
    "colour_4200_5400", "colour_5400_6600", "colour_6600_7500",
)  # fmt: skip
"""Quantities that are told of the whole spectrum, where narrow lines cannot be seen."""
LINES = ("strong emission", "emission", "weak emission", "weak absorption", "absorption",
         "strong absorption")  # fmt: skip
SCALES = {
    "index": ("very low", "low", "rather low", "middling", "rather high", "high", "very high"),
    "strength": ("absent", "very weak", "weak", "moderate", "clear", "strong", "very strong"),
    "width": ("very narrow", "narrow", "rather narrow", "of medium width", "rather broad", "broad",
              "very broad"),
    "colour": ("very red", "red", "rather red", "flat", "rather blue", "blue", "very blue"),
}  # fmt: skip
EMISSION_WIDTHS = {"H_alpha_em_fwhm": "EW_H_alpha", "H_beta_em_fwhm": "EW_H_beta"}
"""Widths that are told only where their line is in emission."""


def grade(rank: float) -> int:
    """The grade, 0 to 6, of a rank between -1 and 1."""
    return int(np.clip(np.floor((rank + 1.0) / 2.0 * GRADES), 0, GRADES - 1))


@cache
def phrases(gate: str) -> tuple[str, ...]:
    """What is said of a quantity at each grade, such as "Hα in strong emission"."""
    if gate.endswith("_edge"):
        return _band_phrases(gate)
    label = GATES[gate].label
    if gate.startswith("EW_"):
        return _line_phrases(label, grade(_rank(gate, 0.0)))
    if gate.startswith("colour_"):
        _, bluer, redder = gate.split("_")
        return tuple(f"{bluer} to {redder} Å {level}" for level in SCALES["colour"])
    if label.endswith(("width", "FWHM")):
        line = label.removesuffix(" width").removesuffix(" FWHM")
        line = f"{line} emission" if label.endswith("FWHM") else line
        return tuple(f"{line} {level}" for level in SCALES["width"])
    scale = SCALES["strength" if GATES[gate].unit == "Å" else "index"]
    return tuple(f"{label} {level}" for level in scale)


def _line_phrases(label: str, absent: int) -> tuple[str, ...]:
    below = [f"{label} in {each}" for each in LINES[:3]]
    above = [f"{label} in {each}" for each in LINES[3:]]
    said = [f"{label} not seen"] * GRADES
    for number in range(GRADES):
        away = number - absent
        if away < 0:
            said[number] = below[max(3 + away, 0)]
        elif away > 0:
            said[number] = above[min(away - 1, 2)]
    return tuple(said)


def _band_phrases(gate: str) -> tuple[str, ...]:
    """Band heads are none, a trace, clear or strong; by their rank."""
    name = gate.removesuffix("_edge").replace("_", " ")
    return f"no {name}", f"trace of {name}", f"{name} clear", f"{name} strong"


@cache
def _band_borders(gate: str) -> tuple[float, float, float]:
    """Ranks from which a band head is a trace, clear and strong."""
    trace, clear = _rank(gate, CLEAR_STEP), _rank(gate, GATES[gate].high_from or CLEAR_STEP)
    return trace, clear, 0.5 * (clear + 1.0)


def _said(gate: str, rank: float) -> str:
    if gate.endswith("_edge"):
        return phrases(gate)[bisect(_band_borders(gate), rank)]
    return phrases(gate)[grade(rank)]


def _rank(gate: str, value: float) -> float:
    own = knots()[asked_gates().index(gate)]
    return float(np.interp(value, own, np.linspace(-1.0, 1.0, own.size)))


def told_gates(window: Window, *, is_whole: bool) -> tuple[str, ...]:
    """The quantities that are told of a picture, in a fixed order."""
    inside = within(window, 0.0)
    known = {name for name, is_in in zip(asked_gates(), inside, strict=True) if is_in}
    if is_whole:
        return tuple(name for name in WHOLE if name in known)
    return tuple(name for name in WINDOW_GATES if name in known)[:PER_WINDOW]


def told(window: Window, ranks: FloatArray, *, is_whole: bool) -> dict[str, str]:
    """What is said of a picture, by quantity; `ranks` are those that the eye reads."""
    rank = dict(zip(asked_gates(), ranks.tolist(), strict=True))
    said = {gate: _said(gate, rank[gate]) for gate in told_gates(window, is_whole=is_whole)}
    for width, line in EMISSION_WIDTHS.items():
        if width in said and not said.get(line, "").endswith("emission"):
            del said[width]
    return said


def all_phrases() -> set[str]:
    names = {*WHOLE, *WINDOW_GATES} & set(asked_gates())
    return {phrase for name in names for phrase in phrases(name)}
