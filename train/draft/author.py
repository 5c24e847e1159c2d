"""Writes the turns of an inspection from measurements and the true answer.

Every number in the turns was measured in a window that the inspection looks at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from agent.evidence.assessment import Assessment
from agent.evidence.places import contains
from agent.evidence.words import kind_name
from agent.inspection.measured_turns import shown_range
from agent.protocol.reply import Verdict, answer_reply, call_reply
from agent.spectra.spectrum import Window
from agent.tasks.task import DiagnosticWindow, Task
from train.draft.facts import SIGNS, Fact, Key, facts_of
from train.draft.settings import PHRASES, DraftSettings, Words
from train.meter import Meter
from train.simulate.campaign import CONTAMINANTS

MIN_RIVAL_PROBABILITY = 0.2
NOT_OBJECTS = frozenset({"ARTEFACT"})  # labels that have no kind name to use in a sentence
DECISIVE_NATS = 0.4
# A window whose facts add up to fewer nats decides little.
MIN_NATS = 0.3
FACTS_PER_WINDOW = {"short": (1, 2), "long": (2, 4)}
REASONS_PER_ANSWER = {"short": (1, 3), "long": (2, 4)}

STEP = 10  # Angstrom; requested ranges are multiples of it.
MAX_JITTER = 3
MAX_STRETCH = 0.35
"""Fraction of its width by which a window may be stretched to show what is measured in it."""
P_GUIDELINE_ORDER = 0.4  # chance that windows follow the guideline's order instead of their weight
P_SHIFTED = 0.6  # chance that a window is shifted against the guideline's
WIDE_FACTORS = (2.5, 4.0)
OUTSIDE_WIDTHS = (150, 600)
LOOK_NOISE = 0.4  # Nats of noise in the choice of windows; the weightiest window is always chosen.

Rng = np.random.Generator

BLUE, RED = 1.5, 0.8
"""Flux at 4240 Å over that at 6630 Å above which a continuum is blue, or below which it is red."""
VOWELS = frozenset("aeiouAEIO")
AS_LETTERS = frozenset("FHLMNRSX")  # Letters that take "an" when spoken alone: an M giant.


@dataclass(frozen=True)
class Truth:
    """The true answer, and the true class where it is known."""

    answer: Verdict
    label: str = ""

    @property
    def sign(self) -> float:
        return 1.0 if self.answer == "YES" else -1.0


def is_supported(assessment: Assessment, truth: Truth, min_chance: float) -> bool:
    """Whether the measurements alone support the true answer."""
    chance = assessment.p_yes if truth.answer == "YES" else 1.0 - assessment.p_yes
    return chance >= min_chance


def write_replies(
    assessment: Assessment, meter: Meter, truth: Truth, settings: DraftSettings, rng: Rng
) -> tuple[str, ...] | None:
    """Write the turns; None if nothing visible supports the true answer."""
    rival = _rival(assessment, truth, rng)
    facts = facts_of(assessment.task, meter, rival, is_rival=truth.answer == "NO")
    wording = Wording(assessment.task, settings.words, rng)
    looks = plan_looks(assessment, meter, facts.all, settings, rng)
    chosen = [_choose_facts(look, settings, rng) for look in looks]
    all_facts = [fact for each in chosen for fact in each]
    if not any(truth.sign * fact.nats > MIN_NATS for fact in all_facts):
        return None
    answer_writer = _AnswerWriter(assessment.task, truth, rival, facts.decisive, wording)
    guess, refuting = answer_writer.guess(chosen) if rng.random() < settings.guess else ("", None)
    (low, high), snr = meter.range, assessment.snr
    covers = wording.say("covers", low=f"{low:.0f}", high=f"{high:.0f}", snr=f"{snr:.0f}")
    thought = joined(covers, wording.colour(meter.numbers.colour))
    if guess:
        thought = joined(thought, wording.say("guess", kind=guess))
    turns: list[str] = []
    before: PlannedLook | None = None
    for look, shown in zip(looks, chosen, strict=True):
        announced = _announce_look(look, before, wording, not turns)
        arguments = {"wavelength_range": list(look.range), "label": look.label}
        turns.append(call_reply(joined(thought, announced), arguments))
        thought = _describe_window(look, shown, meter, wording)
        if refuting in shown and refuting is not None:
            fact = wording.fact(refuting, meaning=False)
            thought = joined(thought, wording.say("drop_guess", kind=guess, fact=fact))
        before = look
    return (*turns, answer_writer.answer(thought, all_facts))


def _rival(assessment: Assessment, truth: Truth, rng: Rng) -> str:
    """The other kind worth naming: a look-alike of a YES, or what a NO is if measurements agree."""
    label = assessment.task.id
    ranked = [pair for pair in assessment.kinds.ranked() if pair[0] != label]
    first, chance = ranked[0]
    if truth.answer == "YES":
        others = [kind for kind in CONTAMINANTS.get(label, {}) if kind in SIGNS] or [first]
        return others[int(rng.integers(len(others)))]
    if truth.label:
        likely = dict(ranked).get(truth.label, 0.0) >= MIN_RIVAL_PROBABILITY
        return truth.label if likely and truth.label not in NOT_OBJECTS else ""
    return first if chance >= MIN_RIVAL_PROBABILITY else ""


def _choose_facts(look: PlannedLook, settings: DraftSettings, rng: Rng) -> tuple[Fact, ...]:
    """The weightiest facts of a window, each line's strength before its width."""
    if look.kind != "zoom":
        return ()
    fewest, most = FACTS_PER_WINDOW[settings.words]
    count = int(rng.integers(fewest, most + 1))
    luck = {fact.key: 0.3 * float(rng.random()) for fact in look.facts}
    ranked = sorted(look.facts, key=lambda fact: -(abs(fact.nats) + luck[fact.key]))[:count]
    widths = [fact for fact in ranked if fact.state == "width"]
    others = [fact for fact in ranked if fact.state != "width"]
    paired: list[Fact] = []
    for fact in others:
        paired.append(fact)
        paired += [width for width in widths if width.feature == fact.feature]
    return (*paired, *(width for width in widths if width not in paired))


def _announce_look(
    look: PlannedLook, before: PlannedLook | None, wording: Wording, first: bool
) -> str:
    what = "first" if first else "next"
    if look.kind == "wide":
        what = "wide"
    elif before is not None and before.kind == "wide":
        what = "narrow"
    low, high = look.range
    return wording.say(what, label=look.label, low=low, high=high)


def _describe_window(
    look: PlannedLook, shown: Sequence[Fact], meter: Meter, wording: Wording
) -> str:
    """The facts of a window, and what they mean for the question."""
    if look.kind == "outside":
        edge = meter.range[1] if look.range[0] > meter.range[0] else meter.range[0]
        return wording.say("outside", edge=f"{edge:.0f}")
    if look.kind == "wide":
        return ""
    if not shown:
        return wording.say("nothing")
    nats = sum(fact.nats for fact in shown)
    what = "for" if nats > MIN_NATS else "against" if nats < -MIN_NATS else "little"
    return joined(wording.facts(shown), wording.say(what))


@dataclass(frozen=True)
class _AnswerWriter:
    """Writes the parts that depend on the truth: a guess to drop, and the answer."""

    task: Task
    truth: Truth
    rival: str
    decisive: frozenset[Key]
    wording: Wording

    def guess(self, chosen: Sequence[Sequence[Fact]]) -> tuple[str, Fact | None]:
        """A wrong first guess, and the fact that refutes it."""
        for shown in chosen:
            for fact in shown:
                if self.truth.answer == "NO" and fact.nats < -DECISIVE_NATS:
                    return with_article(self.task.name), fact
                if self.truth.answer == "YES" and fact.key in self.decisive:
                    return kind_name(self.rival), fact
        return "", None

    def answer(self, thought: str, facts: Sequence[Fact]) -> str:
        say, sign = self.wording.say, self.truth.sign
        summed = say("sum_yes" if sign > 0 else "sum_no")
        ranked = sorted(facts, key=lambda fact: -sign * fact.nats)
        fewest, most = REASONS_PER_ANSWER[self.wording.words]
        count = int(self.wording.rng.integers(fewest, most + 1))
        reasons = [fact for fact in ranked if sign * fact.nats > MIN_NATS / 2][:count]
        parts = [self.wording.facts(reasons)] if reasons else []
        parts += self._rival_reasons(facts, reasons)
        doubtful = [fact for fact in ranked if sign * fact.nats < -DECISIVE_NATS]
        against = [fact for fact in doubtful if fact.key not in self.decisive]
        if against and self.wording.words == "long":
            parts.append(say("other_side", fact=self.wording.fact(against[-1], meaning=False)))
        if not parts and sign > 0:
            parts = [say("it_is", kind=with_article(self.task.name))]
        elif not parts:
            parts = [say("nothing")]
        return answer_reply(joined(thought, summed), self.truth.answer, " ".join(parts))

    def _rival_reasons(self, facts: Sequence[Fact], reasons: Sequence[Fact]) -> list[str]:
        """Rules out the nearest contaminant, or names it as what the object is."""
        if not self.rival:
            return []
        say, kind = self.wording.say, kind_name(self.rival)
        decisive = [fact for fact in facts if fact.key in self.decisive]
        fresh = [fact for fact in decisive if fact not in reasons]
        is_other = self.truth.answer == "NO"
        if not decisive or (is_other and not fresh):
            return [say("it_is", kind=kind)] if is_other else []
        clause = self.wording.fact((fresh or decisive)[0], meaning=False)
        if is_other:
            return [say("it_is_because", kind=kind, fact=clause)]
        bare = kind.removeprefix("an ").removeprefix("a ")
        return [say("rival", kind=kind, kind_bare=bare, fact=clause)]


# Plans an inspection: which windows to look at, in which order, with which wrong turns.
@dataclass(frozen=True, kw_only=True)
class PlannedLook:
    """One planned tool call, with the facts its picture shows (none for a wide view)."""

    kind: Literal["zoom", "wide", "outside"]
    range: tuple[int, int]
    label: str
    facts: tuple[Fact, ...] = ()

    @property
    def nats(self) -> float:
        return sum(abs(fact.nats) for fact in self.facts)


def plan_looks(
    assessment: Assessment, meter: Meter, facts: Sequence[Fact], settings: DraftSettings, rng: Rng
) -> tuple[PlannedLook, ...]:
    """The looks of one inspection, wrong turns included; empty where no fact is visible."""
    every = (_zoom(each, assessment, meter, facts, rng) for each in assessment.task.windows)
    zooms = [zoom for zoom in every if zoom is not None]
    count = int(rng.integers(settings.fewest_zooms, settings.most_zooms + 1))
    luck = {id(zoom): LOOK_NOISE * float(rng.gumbel()) for zoom in zooms}
    best = max(zooms, key=lambda zoom: zoom.nats, default=None)
    chosen = sorted(zooms, key=lambda zoom: -(zoom.nats + luck[id(zoom)]))[:count]
    if best is not None and best not in chosen:
        chosen[-1] = best
    if rng.random() < P_GUIDELINE_ORDER:
        chosen.sort(key=zooms.index)
    # Each fact stays where it is first seen, and zooms that show nothing new are dropped.
    told: set[Key] = set()
    kept = []
    for zoom in chosen:
        fresh = tuple(fact for fact in zoom.facts if fact.key not in told)
        told |= {fact.key for fact in fresh}
        if fresh:
            kept.append(replace(zoom, facts=fresh))
    return _add_wrong_turns(kept, meter, settings, rng)


def _zoom(
    window: DiagnosticWindow, assessment: Assessment, meter: Meter, facts: Sequence[Fact], rng: Rng
) -> PlannedLook | None:
    low, high = shown_range(window.range, assessment)
    if rng.random() < P_SHIFTED:
        low += STEP * int(rng.integers(-MAX_JITTER, 2))
        high += STEP * int(rng.integers(-1, MAX_JITTER + 1))
    low, high = STEP * round(low / STEP), STEP * round(high / STEP)
    here = (each for each in assessment.task.evidence if each.window == window.id)
    targets = {target for each in here for target in each.target}
    for fact in facts:
        if fact.feature.id in targets and fact.window is not None:
            low, high = _stretch((low, high), fact.window, window)
    known = ((fact, fact.window) for fact in facts)
    seen = tuple(fact for fact, place in known if place and contains((low, high), place, 0.0))
    if not seen or not meter.is_covered((low, high)):
        return None
    return PlannedLook(kind="zoom", range=(low, high), label=window.label, facts=seen)


def _stretch(now: tuple[int, int], needed: Window, window: DiagnosticWindow) -> tuple[int, int]:
    """Widen a range to show `needed`, unless that takes too much."""
    low = min(now[0], STEP * int(needed[0] // STEP))
    high = max(now[1], STEP * -int(-needed[1] // STEP))
    room = (1.0 + MAX_STRETCH) * (window.range[1] - window.range[0])
    return (low, high) if high - low <= max(room, now[1] - now[0]) else now


def _add_wrong_turns(
    zooms: list[PlannedLook], meter: Meter, settings: DraftSettings, rng: Rng
) -> tuple[PlannedLook, ...]:
    looks: list[PlannedLook] = []
    outside = int(rng.integers(len(zooms) + 1)) if rng.random() < settings.outside else -1
    wide = int(rng.integers(max(len(zooms), 1))) if rng.random() < settings.wide else -1
    for index, zoom in enumerate(zooms):
        if index == outside:
            looks.append(_outside(meter, rng))
        if index == wide:
            low, high = zoom.range
            room = 0.5 * (float(rng.uniform(*WIDE_FACTORS)) - 1.0) * (high - low)
            around = (STEP * round((low - room) / STEP), STEP * round((high + room) / STEP))
            if meter.is_covered(around):
                looks.append(PlannedLook(kind="wide", range=around, label=zoom.label))
        looks.append(zoom)
    return tuple(looks)


def _outside(meter: Meter, rng: Rng) -> PlannedLook:
    """A look past one end of the data, as a beginner might take."""
    low, high = meter.range
    gap, width = int(rng.integers(3, 12)) * STEP, int(rng.integers(*OUTSIDE_WIDTHS))
    if rng.random() < 0.5:
        start = STEP * int(high // STEP) + gap
    else:
        start = max(STEP * int(low // STEP) - gap - width, 1000)
    end = STEP * round((start + width) / STEP)
    label = "the red end" if start > high else "the blue end"
    return PlannedLook(kind="outside", range=(start, end), label=label)


# Puts facts into words: a randomly drawn template, with numbers rounded to their precision.
@dataclass(frozen=True)
class Wording:
    """Words sentences about one task's class; the same generator gives the same words."""

    task: Task
    words: Words
    rng: Rng

    def say(self, what: str, **parts: object) -> str:
        options = PHRASES[self.words][what]
        template = options[int(self.rng.integers(len(options)))]
        a_class = with_article(self.task.name)
        capital = a_class[0].upper() + a_class[1:]
        return template.format(a_class=a_class, a_class_cap=capital, **parts)

    def fact(self, fact: Fact, *, meaning: bool = True) -> str:
        """One fact as a clause, with its meaning where that is known."""
        name = fact.feature.long_name if self.words == "long" else fact.feature.name
        value, percent = rounded_number(fact), f"{100 * fact.value:.0f}"
        text = self.say(_phrase_of(fact), name=name, value=value, percent=percent)
        return f"{text}: {fact.meaning}" if meaning and fact.meaning else text

    def facts(self, facts: Sequence[Fact]) -> str:
        """Several facts as one sentence, with a capital and a full stop."""
        text = "; ".join(self.fact(fact) for fact in facts)
        return f"{text[:1].upper()}{text[1:]}." if text[:1].islower() else f"{text}."

    def colour(self, ratio: float | None) -> str:
        if ratio is None:
            return ""
        return self.say("blue" if ratio > BLUE else "flat" if ratio > RED else "red")


def with_article(name: str) -> str:
    alone = len(name) > 1 and not name[1].isalpha() and name[0] in AS_LETTERS
    return f"{'an' if name[0] in VOWELS or alone else 'a'} {name}"


def rounded_number(fact: Fact) -> str:
    """A number rounded to what a reader of the picture could see; emission has no sign."""
    value = abs(fact.value) if fact.feature.is_line else fact.value
    if fact.state == "width":
        return f"{float(f'{value:.2g}'):.0f}"
    if fact.feature.unit != "Å":
        return f"{value:.2f}"
    shown = f"{value:.0f}" if abs(value) >= 9.95 else f"{value:.1f}"
    if abs(value) < 0.995:
        shown = f"{value:.2f}"
    return shown if fact.feature.is_line else f"{shown} Å"


def joined(*sentences: str) -> str:
    return " ".join(part for part in sentences if part)


def _phrase_of(fact: Fact) -> str:
    match fact.state:
        case "emission" | "absorption":
            return f"{fact.state}_weak" if fact.is_weak else fact.state
        case "absent":
            return "absent_line" if fact.feature.is_line else "absent_edge"
        case "width":
            return "unresolved" if fact.value <= 0 else "width"
        case "step":
            head = fact.feature.index.head
            assert head is not None
            return "step_weak" if fact.is_weak else f"step_{head.shaded}"
        case "value":
            return "value"
