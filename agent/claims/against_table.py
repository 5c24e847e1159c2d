"""Holds a model's thought about a look against the table of lines that was measured there.

The table comes from a record that a stranger may have written: what is not as expected is skipped.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from agent.claims.claims import State, claims_of
from agent.evidence.measurements import is_hot_line
from agent.spectra.lines import builtin_lines
from agent.spectra.measure.window_measure import NEVER_EMIT
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.smoothing import FWHM_PER_SIGMA

# A line this significant is no matter of taste; below it a thought may well see it otherwise.
CLEAR_SIGMA = 10.0
# What follows was found in 622 marks on 1,080 inspections of real spectra, each read: what is left
# out was no line of its name, or none that a picture shows.
SURE_SIGMA = 15.0  # of wide features, and of hot gas: blends and noise look alike
LEAST_DEPTH = 0.05  # of the continuum: less is its slope, or not seen in a picture
WIDE_KMS = 900.0  # lines of metals are not so wide, bands and gaps between them are
WIDEST_EMISSION_KMS, WIDEST_KMS = 3200.0, 5000.0
BAND_SIGMA = 5.0
OF_ANY_WIDTH = ("H I", "He I", "He II")
NOTHING = re.compile(r"\bnothing (?:is )?(?:clear|to see|stands out|of note|significant)\b", re.I)
CONTRARY: dict[State, tuple[str, ...]] = {
    "emission": ("absorption",),
    "absorption": ("emission",),
    "no emission": ("emission",),
    "no absorption": ("absorption",),
    "absent": ("emission", "absorption"),
}
"""The kinds of a measured line that contradict what is said of it."""


class ClearLine(NamedTuple):
    """A line of the table, as it is named there: 'H_alpha'."""

    name: str
    kind: str
    ew: float
    sigma: float


class Conflict(NamedTuple):
    """A sentence, and the line of the table that it contradicts or passes over."""

    sentence: str
    line: ClearLine


def conflicts(thought: str, measured: Mapping[str, Any]) -> tuple[Conflict, ...]:
    """What the thought says against the table, each line once, the most significant first."""
    lines = {line.name: line for line in _clear_lines(measured)}
    found: dict[str, Conflict] = {}
    if not lines:
        return ()
    for claim in claims_of(thought):
        if NOTHING.search(claim.text):
            continue
        named = [lines[each.id] for each in claim.features if each.is_line and each.id in lines]
        # Where several lines may be meant, one that is as it is said is enough.
        against = [line for line in named if line.kind in CONTRARY.get(claim.state, ())]
        if named and len(against) == len(named):
            found.setdefault(against[0].name, Conflict(claim.text, against[0]))
    if (nothing := NOTHING.search(thought)) is not None:
        strongest = max(lines.values(), key=lambda line: line.sigma)
        found.setdefault(strongest.name, Conflict(nothing.group(), strongest))
    return tuple(sorted(found.values(), key=lambda each: -each.line.sigma))


def _clear_lines(measured: Mapping[str, Any]) -> Iterator[ClearLine]:
    has_bands = any(_number(each, "sigma") >= BAND_SIGMA for each in _rows(measured, "edges"))
    for row in _rows(measured, "lines"):
        name, kind = row.get("name"), row.get("kind")
        line = ClearLine(str(name), str(kind), _number(row, "ew"), _number(row, "sigma"))
        is_line = line.name in builtin_lines() and kind in ("emission", "absorption")
        if is_line and line.sigma >= CLEAR_SIGMA and math.isfinite(line.ew + line.sigma):
            fwhm_kms = _number(row, "fwhm_kms")
            if _is_sure(line, fwhm_kms, _number(row, "centroid"), has_bands):
                yield line


def _is_sure(line: ClearLine, fwhm_kms: float, centroid: float, has_bands: bool) -> bool:
    """Whether what was measured is the line of that name, and not a band, a gap or a slope."""
    dips, species = line.kind == "absorption", builtin_lines()[line.name].species
    fwhm = fwhm_kms / LIGHT_KMS * centroid
    # A Gaussian of this depth and width has the area.
    depth = abs(line.ew) * FWHM_PER_SIGMA / math.sqrt(2.0 * math.pi) / fwhm if fwhm > 0.0 else 1.0
    is_wide = fwhm_kms >= WIDE_KMS
    is_doubtful = is_wide or is_hot_line(line.name)
    return not (
        depth < LEAST_DEPTH
        or fwhm_kms > (WIDEST_KMS if dips else WIDEST_EMISSION_KMS)
        or (is_wide and species not in OF_ANY_WIDTH)
        or (not dips and species in (*NEVER_EMIT, "Mg II"))
        or (is_doubtful and (line.sigma < SURE_SIGMA or (dips and has_bands)))
    )


def _rows(measured: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    rows = measured.get(name)
    return (each for each in (rows if isinstance(rows, list) else ()) if isinstance(each, Mapping))


def _number(row: Mapping[str, Any], name: str) -> float:
    """NaN for what is no number."""
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    return float(value)
