"""Measured facts about a spectrum: single numbers, and what each means for the class."""

import csv
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Literal, cast

from agent.claims.features import Feature, find_feature
from agent.evidence.findings import Finding, check_claims
from agent.spectra.measure.measurement import Measurement
from agent.spectra.spectrum import Window
from agent.tasks.task import Task
from train.meter import Meter

Side = Literal["above", "below"]
State = Literal["emission", "absorption", "absent", "step", "value", "width"]

SEEN_SIGMA, UNSEEN_SIGMA = 3.0, 2.0
MIN_EW, MIN_STEP = 0.15, 0.04
Key = tuple[str, bool, bool]
# In a cool star the windows of these lines hold molecules and metals instead.
HOT_SPECIES = frozenset({"He I", "He II", "C II", "Si IV", "N III"})
# Angstrom. A line is called absent only where a stronger one would have been noticed.
MAX_UPPER_LIMIT = 1.5

RIVAL_NATS = 0.6  # weight of one sign of a rival for or against the class
CLEAR_SIGMA = 3.0
MARGIN = 0.08  # fraction of the border within which a value is on neither side


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One measured number of a feature; `nats` is its log odds for the class."""

    feature: Feature
    state: State
    value: float
    error: float
    window: Window | None
    nats: float = 0.0
    meaning: str = ""  # What the guideline concludes from it; empty where it says nothing.
    is_weak: bool = False  # detected, but weaker than the class requires

    @property
    def key(self) -> Key:
        return self.feature.id, self.feature.is_line, self.state == "width"


@dataclass(frozen=True)
class Facts:
    """All facts, and the keys of those that decide for or against the rival kind."""

    all: tuple[Fact, ...]
    decisive: frozenset[Key]


def facts_of(task: Task, meter: Meter, rival: str = "", *, is_rival: bool = False) -> Facts:
    """The guideline's facts of a spectrum, then those for (`is_rival`) or against the rival."""
    found: dict[Key, Fact] = {}
    is_cool = meter.is_cool
    for finding in check_claims(task, meter.numbers):
        for fact in _facts_of_finding(finding, meter):
            if is_cool and fact.feature.is_line and fact.feature.line.species in HOT_SPECIES:
                continue
            if fact.key not in found or abs(fact.nats) > abs(found[fact.key].nats):
                found[fact.key] = fact
    decisive = set()
    nats = -RIVAL_NATS if is_rival else RIVAL_NATS
    for sign in clear_signs(rival, meter, present=is_rival):
        seen = _make_fact(sign.feature, meter.strength(sign.feature), meter, nats=nats)
        if seen is not None and not (sign.absorbs and seen.state == "emission"):
            found.setdefault(seen.key, replace(seen, meaning=sign.meaning if is_rival else ""))
            decisive.add(seen.key)
    return Facts(tuple(found.values()), frozenset(decisive))


def _facts_of_finding(finding: Finding, meter: Meter) -> Iterator[Fact]:
    evidence = finding.evidence
    if not finding.is_testable or evidence.kind in ("quality", "ratio"):
        return
    is_line, is_width = evidence.kind in ("line", "width"), evidence.kind == "width"
    values = []
    for target in evidence.target:
        known = find_feature(target, is_line=is_line)
        if known is not None:
            values.append((known, meter.width_kms(known) if is_width else meter.strength(known)))
    deciding = [value for _, value in values if value.value == finding.value]
    for known, value in values:
        if value.value is None:
            continue
        decides = not deciding or value is deciding[0]
        nats = finding.log_odds / (1 if deciding else len(values)) if decides else 0.0
        alone = len(evidence.target) == 1
        fact = _make_fact(known, value, meter, is_width=is_width, nats=nats)
        if fact is not None and not _is_half(fact, finding):
            yield _in_context(fact, finding, evidence.is_found(value.number), alone)


def _is_half(fact: Fact, finding: Finding) -> bool:
    """Whether this is one of two signs of a contaminant that only count together."""
    evidence = finding.evidence
    together = evidence.rank == "contaminant" and evidence.combine == "all"
    return together and not finding.is_found and fact.state in ("emission", "absorption", "step")


def _in_context(fact: Fact, finding: Finding, is_found: bool, is_alone: bool) -> Fact:
    """The fact as the finding takes it; it has a meaning if it is the only one of the finding."""
    evidence = finding.evidence
    meaning = (evidence.text_found if is_found else evidence.text_absent).partition(": ")[2]
    if "{" in meaning or not is_alone:
        meaning = ""
    seen = fact.state == evidence.expect or (fact.state == "step" and evidence.expect == "above")
    is_weak = seen and not is_found and evidence.rank != "contaminant"
    return replace(fact, meaning=meaning, is_weak=is_weak)


def _make_fact(
    known: Feature, value: Measurement, meter: Meter, *, is_width: bool = False, nats: float = 0.0
) -> Fact | None:
    """A fact of this measurement; None where it is too uncertain to state."""
    if value.value is None or not math.isfinite(value.value):
        return None
    error = value.error or 0.0
    state = "width" if is_width else _state(known, value.value, error)
    if state is None:
        return None
    window, number = meter.window_of(known), value.value
    return Fact(feature=known, state=state, value=number, error=error, window=window, nats=nats)


def _state(known: Feature, value: float, error: float) -> State | None:
    sigma = abs(value) / error if error > 0 else math.inf
    if known.is_line:
        if sigma >= SEEN_SIGMA and abs(value) >= MIN_EW:
            return "emission" if value < 0 else "absorption"
        sure = sigma < UNSEEN_SIGMA and abs(value) + 2 * error < MAX_UPPER_LIMIT
        return "absent" if sure else None
    if known.is_edge:
        if value >= MIN_STEP:
            return "step" if sigma >= SEEN_SIGMA else None
        return "absent" if error < MIN_STEP else None
    return "value"


# Measurements that rule each kind of contaminant in or out. The fitted kinds of the measured
# inspector also use chance alignments, such as He I windows that hold TiO. An expert would never
# name those, so the signs a draft may name are listed here.
@dataclass(frozen=True)
class Sign:
    """A kind's objects are on this `side` of the border; absorption has positive width."""

    feature: Feature
    side: Side
    border: float
    meaning: str = ""

    @property
    def absorbs(self) -> bool:
        """Whether it is an absorption line; a missing one is never called emission."""
        return self.feature.is_line and self.side == "above"

    def holds(self, value: float) -> bool:
        return value > self.border if self.side == "above" else value < self.border

    def is_clear(self, value: float, error: float) -> bool:
        """Whether a value is far enough from the border to be stated."""
        distance = abs(value - self.border)
        return distance > MARGIN * abs(self.border) and distance > CLEAR_SIGMA * error


def _read_signs() -> Mapping[str, tuple[Sign, ...]]:
    signs: dict[str, tuple[Sign, ...]] = {}
    text = Path(__file__).with_name("signs.csv").read_text(encoding="utf-8")
    for kind, name, what, side, border, meaning in islice(csv.reader(text.splitlines()), 1, None):
        feature = Feature(name, is_line=what == "line")
        sign = Sign(feature, cast(Side, side), float(border), meaning)
        signs[kind] = (*signs.get(kind, ()), sign)
    return MappingProxyType(signs)


SIGNS = _read_signs()
"""Signs by label of the kind; quasars and galaxies have none because their lines are redshifted."""


def clear_signs(kind: str, meter: Meter, *, present: bool) -> Iterator[Sign]:
    """Signs of a kind that are clearly present, or clearly missing."""
    for sign in SIGNS.get(kind, ()):
        value = meter.strength(sign.feature)
        if value.value is None or not sign.is_clear(value.value, value.error or 0.0):
            continue
        if sign.holds(value.value) == present:
            yield sign
