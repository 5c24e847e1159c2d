"""What a task is: a target class with the words, windows and evidence that decide it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

Rank = Literal["primary", "secondary", "confirming", "contaminant"]
Kind = Literal["line", "width", "ratio", "edge", "index", "colour", "quality"]
Expect = Literal["emission", "absorption", "above", "below"]
Combine = Literal["any", "all", "mean", "sum"]

RANKS: tuple[Rank, ...] = get_args(Rank)
KINDS: tuple[Kind, ...] = get_args(Kind)
EXPECTATIONS: tuple[Expect, ...] = get_args(Expect)
COMBINATIONS: tuple[Combine, ...] = get_args(Combine)
QUALITIES = ("z", "snr", "bad_fraction", "negative_fraction", "join_step")
"""What evidence of kind quality may name: numbers about the whole spectrum."""

PLACEHOLDER = re.compile(r"\{(label|value|error|sigma|snr)(?::(\+?\.[0-4]f))?\}")


@dataclass(frozen=True, kw_only=True)
class DiagnosticWindow:
    """A range worth zooming into; vacuum angstrom, in the order an expert looks."""

    id: str
    label: str
    range: tuple[float, float]
    key: str
    look: str
    mimics: str = ""
    """What else looks like that in this range, and how it gives itself away."""


@dataclass(frozen=True, kw_only=True)
class State:
    """A guise of the class that changes which indicators are seen."""

    name: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Contaminant:
    """Another kind of object that is taken for the class, and how it differs."""

    name: str
    differs: str
    windows: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Guideline:
    """What an expert would tell a colleague: read by the model and by the person."""

    summary: str
    primary: tuple[str, ...]
    secondary: tuple[str, ...] = ()
    confirming: tuple[str, ...] = ()
    states: tuple[State, ...] = ()
    answer_no: tuple[str, ...] = ()
    not_testable: tuple[str, ...] = ()
    pitfalls: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One measurable claim. Weights are log-odds in nats for the class.

    The value measured depends on `kind`: line: equivalent width in angstrom, absorption positive;
    width: full width at half maximum, km/s; ratio: equivalent width of the first line over that of
    the second; edge, index and colour: the value of an index of resources/indices, where an edge
    is the fractional drop across a band head, negative when it drops the wrong way; quality: a
    number about the whole spectrum.
    """

    id: str
    label: str
    rank: Rank
    kind: Kind
    target: tuple[str, ...]
    expect: Expect
    threshold: float
    scale: float
    """How far past the threshold the claim holds with 88 per cent of its weight."""
    weight_for: float
    weight_against: float
    window: str
    min_snr: float
    """Signal-to-noise per pixel in the window under which the claim is not testable."""
    combine: Combine = "any"
    """How the values of several targets become one: any: the best for the claim; all: the worst."""
    group: str = ""
    """Claims that repeat one another; together they should count little more than the best."""
    needs: tuple[str, ...] = ()
    """Ids of evidence, higher up in the file, that must be found before this one counts."""
    text_found: str
    text_absent: str

    def combined(self, values: Sequence[float]) -> float:
        """The one value that stands for those of the targets."""
        if self.kind == "ratio":
            first, second = values
            return first / second if second else math.nan
        if self.combine == "mean":
            return math.fsum(values) / len(values)
        if self.combine == "sum":
            return math.fsum(values)
        best_is_high = self.expect in ("absorption", "above")
        return max(values) if best_is_high == (self.combine == "any") else min(values)

    def excess(self, value: float) -> float:
        """How far `value` lies past the threshold in the expected sense, in its own unit."""
        match self.expect:
            case "emission":
                return -value - self.threshold
            case "below":
                return self.threshold - value
            case "absorption" | "above":
                return value - self.threshold

    def is_found(self, value: float) -> bool:
        return self.excess(value) > 0

    def log_odds(self, value: float, error: float = 0.0) -> float:
        """Weight of `value` in nats, from weight_against far below to weight_for far above.

        A value that could not be measured says nothing: 0.
        """
        if not (math.isfinite(value) and math.isfinite(error)):
            return 0.0
        softness = math.hypot(self.scale, error)
        share = 0.5 * (1.0 + math.tanh(self.excess(value) / softness))
        return self.weight_against + (self.weight_for - self.weight_against) * share

    def text(self, value: float, *, error: float | None = None, snr: float | None = None) -> str:
        """The claim in words with its numbers filled in; emission widths are given unsigned."""
        template = self.text_found if self.is_found(value) else self.text_absent
        sigma = abs(value) / error if error else None
        shown = -value if self.expect == "emission" else value
        numbers = {"value": shown, "error": error, "sigma": sigma, "snr": snr}

        def fill(match: re.Match[str]) -> str:
            name, form = match.groups()
            if name == "label":
                return self.label
            number = numbers[name]
            known = number is not None and math.isfinite(number)
            return format(number, form or ".2f") if known else "unknown"

        return PLACEHOLDER.sub(fill, template)


@dataclass(frozen=True, kw_only=True)
class Task:
    """A target class. `lines` names the line sets to draw; `path` is None if bundled."""

    id: str
    name: str
    title: str
    question: str
    guideline: Guideline
    windows: tuple[DiagnosticWindow, ...]
    contaminants: tuple[Contaminant, ...]
    evidence: tuple[Evidence, ...]
    lines: tuple[str, ...]
    replaces: str = ""
    path: Path | None = None

    def window(self, window_id: str) -> DiagnosticWindow:
        return next(window for window in self.windows if window.id == window_id)

    def evidence_in(self, window_id: str) -> tuple[Evidence, ...]:
        """The claims that can be checked while this window is on screen."""
        return tuple(entry for entry in self.evidence if entry.window == window_id)
