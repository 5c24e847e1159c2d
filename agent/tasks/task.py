"""Tasks: a target class with its guideline, windows and evidence."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from agent.tasks.catalogue_evidence import CatalogueEvidence, Value, filled, weight_at
from agent.tasks.subclass import Subclass

Rank = Literal["primary", "secondary", "confirming", "contaminant"]
Kind = Literal["line", "width", "ratio", "edge", "index", "colour", "quality"]
Expect = Literal["emission", "absorption", "above", "below"]
Combine = Literal["any", "all", "mean", "sum"]

RANKS: tuple[Rank, ...] = get_args(Rank)
QUALITIES = ("z", "snr", "bad_fraction", "negative_fraction", "join_step")
"""Targets of evidence of kind quality: numbers about the whole spectrum."""

PLACEHOLDER = re.compile(r"\{(label|value|error|sigma|snr)(?::(\+?\.[0-4]f))?\}")

FRAME = "Wavelengths are in Å, in vacuum, as plotted, for a source at rest."


@dataclass(frozen=True, kw_only=True)
class DiagnosticWindow:
    """A range worth zooming into, in vacuum angstrom at rest."""

    id: str
    label: str
    range: tuple[float, float]
    key: str
    look: str
    mimics: str = ""  # what else looks similar in this range, and how to tell it apart


@dataclass(frozen=True, kw_only=True)
class State:
    """A state of the object that changes which indicators are visible."""

    name: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Contaminant:
    """A similar kind of object, and how it differs from the class."""

    name: str
    differs: str
    windows: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Guideline:
    """Instructions of an expert, for the model and for people."""

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
    scale: float  # distance from the threshold at which the claim has 76 % of its weight
    weight_for: float
    weight_against: float
    window: str
    min_snr: float  # S/N per pixel in the window that the claim needs
    combine: Combine = "any"
    """Combines several targets; "any" takes the best value for the claim, "all" the worst."""
    group: str = ""
    """Claims of one group repeat each other and count little more than the best of them."""
    needs: tuple[str, ...] = ()  # ids of earlier evidence that must be found for this one to count
    text_found: str
    text_absent: str

    def combined(self, values: Sequence[float]) -> float:
        """Combine the values of the targets into one."""
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
        """Distance of `value` beyond the threshold, in its own unit; negative if not reached."""
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
        """Log-odds in nats, from weight_against far below the threshold to weight_for far above.

        At the threshold they are 0, so that what is met never speaks against. A value that is not
        finite gives 0.
        """
        if not (math.isfinite(value) and math.isfinite(error)):
            return 0.0
        softness = math.hypot(self.scale, error)
        return weight_at(self.excess(value) / softness, self.weight_for, self.weight_against)

    def text(self, value: float, *, error: float | None = None, snr: float | None = None) -> str:
        """The claim's text with its numbers filled in; emission widths are given unsigned."""
        template = self.text_found if self.is_found(value) else self.text_absent
        sigma = abs(value) / error if error else None
        shown = -value if self.expect == "emission" else value
        numbers = {"value": shown, "error": error, "sigma": sigma, "snr": snr}
        values: dict[str, Value] = {"label": self.label}
        for name, number in numbers.items():
            values[name] = number if number is not None and math.isfinite(number) else None
        return filled(PLACEHOLDER, template, values, unknown="unknown")


@dataclass(frozen=True, kw_only=True)
class Task:
    """A target class; `lines` are the line sets to draw, `path` is None for bundled tasks."""

    id: str
    name: str
    title: str
    question: str
    guideline: Guideline
    windows: tuple[DiagnosticWindow, ...]
    contaminants: tuple[Contaminant, ...]
    evidence: tuple[Evidence, ...]
    lines: tuple[str, ...]
    catalogue: tuple[CatalogueEvidence, ...] = ()
    """Evidence from outside the spectrum, which no inspector sees."""
    replaces: str = ""
    subclasses: tuple[Subclass, ...] = ()
    subclass_source: str = ""  # who defined these sub-classes
    path: Path | None = None

    def window(self, window_id: str) -> DiagnosticWindow:
        return next(window for window in self.windows if window.id == window_id)

    def asks_as(self, other: Task) -> bool:
        """Whether both ask the same question; `catalogue` and sub-classes may differ."""
        here, there = (
            replace(each, catalogue=(), subclasses=(), subclass_source="", path=None)
            for each in (self, other)
        )
        return here == there


# A task's guideline as sections for the window and as plain text for the prompt.
@dataclass(frozen=True, kw_only=True)
class Section:
    """A heading and its lines. `id` is the same in every language; `title` is English."""

    id: str
    title: str
    lines: tuple[str, ...]


def guideline_sections(task: Task) -> tuple[Section, ...]:
    """The non-empty sections, in reading order."""
    guideline = task.guideline
    states = tuple(f"{state.name}: {state.text}" for state in guideline.states)
    contaminants = tuple(f"{other.name}: {other.differs}" for other in task.contaminants)
    sections = (
        Section(id="summary", title="Target", lines=(guideline.summary, FRAME)),
        Section(id="primary", title="Primary indicators", lines=guideline.primary),
        Section(id="secondary", title="Secondary indicators", lines=guideline.secondary),
        Section(id="confirming", title="Confirming indicators", lines=guideline.confirming),
        Section(id="states", title="States", lines=states),
        Section(id="contaminants", title="Contaminants", lines=contaminants),
        Section(id="answer_no", title="When to answer NO", lines=guideline.answer_no),
        Section(id="not_testable", title="Not testable", lines=guideline.not_testable),
        Section(id="pitfalls", title="Pitfalls", lines=guideline.pitfalls),
    )
    return tuple(section for section in sections if section.lines)


def guideline_text(task: Task) -> str:
    """The guideline as plain text: the summary, then each section as a list."""
    blocks = []
    for section in guideline_sections(task):
        if section.id == "summary":
            blocks.append("\n".join(section.lines))
        else:
            lines = (f"- {line}" for line in section.lines)
            blocks.append("\n".join((f"{section.title}:", *lines)))
    return "\n\n".join(blocks)
