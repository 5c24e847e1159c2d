"""Holds a model's thought about a look against the table of lines that was measured there.

The table comes from a record that a stranger may have written: what is not as expected is skipped.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeGuard

from agent.claims.claims import State, claims_of

# A line this significant is no matter of taste; below it a thought may well see it otherwise.
CLEAR_SIGMA = 10.0
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


def _is_number(value: object) -> TypeGuard[float]:
    return type(value) in (int, float)


def _clear_lines(measured: Mapping[str, Any]) -> Iterator[ClearLine]:
    rows = measured.get("lines")
    for row in rows if isinstance(rows, list) else []:
        if not isinstance(row, Mapping):
            continue
        name, kind, ew, sigma = (row.get(key) for key in ("name", "kind", "ew", "sigma"))
        numbers = [float(each) for each in (ew, sigma) if _is_number(each)]
        if not isinstance(name, str) or len(numbers) < 2 or not all(map(math.isfinite, numbers)):
            continue
        if kind in ("emission", "absorption") and numbers[1] >= CLEAR_SIGMA:
            yield ClearLine(name, str(kind), *numbers)
