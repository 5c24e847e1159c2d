"""What may be said about a spectrum: single measured numbers, and what each means for the class."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from agent.evidence.findings import Finding, find
from agent.spectra.measure.measurement import Measurement
from agent.spectra.spectrum import Window
from agent.tasks.task import Task
from train.draft.features import Feature, feature
from train.draft.meter import Meter
from train.draft.signs import NATS, signs_seen

State = Literal["emission", "absorption", "absent", "step", "value", "width"]

SEEN_SIGMA, UNSEEN_SIGMA = 3.0, 2.0
LEAST_EW, LEAST_STEP = 0.15, 0.04
Key = tuple[str, bool, bool]
HOT_SPECIES = frozenset({"He I", "He II", "C II", "Si IV", "N III"})
"""In a cool star their windows hold molecules and metals: what is measured there is not theirs."""
LARGEST_LIMIT = 1.5
"""Angstrom: a line is called absent only where a stronger one would have been noticed."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One number that was measured at one place; `nats` is what it brings for the class."""

    feature: Feature
    state: State
    value: float
    error: float
    place: Window | None
    nats: float = 0.0
    meaning: str = ""
    """What the guideline makes of it; empty where it says nothing."""
    is_weak: bool = False
    """There, but less than the class asks for."""
    is_contaminant: bool = False

    @property
    def key(self) -> Key:
        return self.feature.id, self.feature.is_line, self.state == "width"


@dataclass(frozen=True)
class Facts:
    """`telling` are those that settle the matter of the rival."""

    all: tuple[Fact, ...]
    telling: frozenset[Key]


def facts_of(task: Task, meter: Meter, rival: str = "", *, is_rival: bool = False) -> Facts:
    """Everything sayable, each number once: the guideline's claims, weighed as it weighs them,
    then the signs of `rival`, there where the object is one and missing where it is not."""
    found: dict[Key, Fact] = {}
    is_cool = meter.is_cool
    for finding in find(task, meter.numbers):
        for fact in _of_finding(finding, meter):
            if is_cool and fact.feature.is_line and fact.feature.line.species in HOT_SPECIES:
                continue
            if fact.key not in found or abs(fact.nats) > abs(found[fact.key].nats):
                found[fact.key] = fact
    telling = set()
    for fact in _signs(rival, meter, is_rival):
        found.setdefault(fact.key, fact)
        telling.add(fact.key)
    return Facts(tuple(found.values()), frozenset(telling))


def _of_finding(finding: Finding, meter: Meter) -> Iterator[Fact]:
    evidence = finding.evidence
    if not finding.is_testable or evidence.kind in ("quality", "ratio"):
        return
    is_line, is_width = evidence.kind in ("line", "width"), evidence.kind == "width"
    values = []
    for target in evidence.target:
        known = feature(target, is_line=is_line)
        if known is not None:
            values.append((known, meter.width_kms(known) if is_width else meter.strength(known)))
    deciding = [value for _, value in values if value.value == finding.value]
    for known, value in values:
        if value.value is None:
            continue
        decides = finding.is_plain and (not deciding or value is deciding[0])
        nats = finding.log_odds / (1 if deciding else len(values)) if decides else 0.0
        alone = len(evidence.target) == 1
        fact = _fact(known, value, meter, is_width=is_width, nats=nats)
        if fact is not None and not _is_half(fact, finding):
            there = evidence.is_found(value.number)
            yield _meaning(fact, finding, there) if alone else _weakness(fact, finding, there)


def _is_half(fact: Fact, finding: Finding) -> bool:
    """One of two signs of a contaminant that only come together: alone it is chance."""
    evidence = finding.evidence
    together = evidence.rank == "contaminant" and evidence.combine == "all"
    return together and not finding.is_found and fact.state in ("emission", "absorption", "step")


def _meaning(fact: Fact, finding: Finding, there: bool) -> Fact:
    template = finding.evidence.text_found if there else finding.evidence.text_absent
    meaning = template.partition(": ")[2]
    if "{" in meaning or not finding.is_plain:
        meaning = ""
    return _weakness(fact, finding, there, meaning)


def _weakness(fact: Fact, finding: Finding, there: bool, meaning: str = "") -> Fact:
    expect = finding.evidence.expect
    seen = fact.state == expect or (fact.state == "step" and expect == "above")
    return replace(
        fact,
        meaning=meaning,
        is_weak=seen and not there and finding.evidence.rank != "contaminant",
        is_contaminant=finding.evidence.rank == "contaminant",
    )


def _signs(rival: str, meter: Meter, is_rival: bool) -> Iterator[Fact]:
    """What shows that the object is the rival, or that it is not."""
    nats = -NATS if is_rival else NATS
    for sign in signs_seen(rival, meter, present=is_rival):
        fact = _fact(sign.feature, meter.strength(sign.feature), meter, nats=nats)
        if fact is not None and not (sign.absorbs and fact.state == "emission"):
            yield replace(fact, meaning=sign.meaning if is_rival else "")


def _fact(
    known: Feature, value: Measurement, meter: Meter, *, is_width: bool = False, nats: float = 0.0
) -> Fact | None:
    """None where nothing can be said for sure."""
    if value.value is None or not math.isfinite(value.value):
        return None
    error = value.error or 0.0
    state = "width" if is_width else _state(known, value.value, error)
    if state is None:
        return None
    return Fact(
        feature=known,
        state=state,
        value=value.value,
        error=error,
        place=meter.place(known),
        nats=nats,
    )


def _state(known: Feature, value: float, error: float) -> State | None:
    sigma = abs(value) / error if error > 0 else math.inf
    if known.is_line:
        if sigma >= SEEN_SIGMA and abs(value) >= LEAST_EW:
            return "emission" if value < 0 else "absorption"
        sure = sigma < UNSEEN_SIGMA and abs(value) + 2 * error < LARGEST_LIMIT
        return "absent" if sure else None
    if known.is_edge:
        if value >= LEAST_STEP:
            return "step" if sigma >= SEEN_SIGMA else None
        return "absent" if error < LEAST_STEP else None
    return "value"
