"""Writes the turns of an inspection from measurements and the true answer.

Every number in the turns was measured in a window that the inspection looks at.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agent.evidence.assessment import Assessment
from agent.evidence.kinds import KindJudgement, builtin_kinds, softmax
from agent.evidence.window_numbers import overview_entries, window_entries
from agent.evidence.words import kind_name
from agent.protocol.reply import Verdict
from agent.protocol.tool import TOOL_NAME
from agent.tasks.task import Task
from train.draft.facts import Fact, Key, facts_of
from train.draft.plan import PlannedLook, plan_looks
from train.draft.settings import DraftSettings
from train.draft.signs import SIGNS
from train.draft.wording import Rng, Wording, joined, with_article
from train.meter import Meter
from train.simulate.campaign import CONTAMINANTS

MIN_RIVAL_PROBABILITY = 0.2
NOT_OBJECTS = frozenset({"ARTEFACT"})
"""Labels that have no kind name to use in a sentence."""
MIN_LEADING_PROBABILITY = 0.5
# The kind model was fitted to all numbers of a spectrum, so a few of them move it too little. With
# this factor four of five looks name a leading kind, and four of five of those are right.
SHARPENING = 2.0
DECISIVE_NATS = 0.4
# A window whose facts add up to fewer nats decides little.
MIN_NATS = 0.3
FACTS_PER_WINDOW = {"short": (1, 2), "long": (2, 4), "quoted": (1, 3)}
REASONS_PER_ANSWER = {"short": (1, 3), "long": (2, 4), "quoted": (1, 3)}


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
    """Write the turns; None if unquoted and nothing visible supports the true answer."""
    rival = _rival(assessment, truth, rng)
    facts = facts_of(assessment.task, meter, rival, is_rival=truth.answer == "NO")
    wording = Wording(assessment.task, settings.words, rng)
    is_quoted = settings.words == "quoted"
    if is_quoted:
        # Windows and numbers chosen by the truth would give it away.
        facts = replace(facts, all=facts_of(assessment.task, meter).all)
    looks = plan_looks(assessment, meter, facts.all, settings, rng)
    leading = [""] * (len(looks) + 1)
    if is_quoted:
        entries = [_tool_entries(look, meter) for look in looks]
        looks = tuple(_quote_tool(*each, wording) for each in zip(looks, entries, strict=True))
        leading = _leading_kinds([overview_entries(meter.numbers), *entries], assessment.kinds)
    chosen = [_choose_facts(look, settings, rng) for look in looks]
    all_facts = [fact for each in chosen for fact in each]
    if not any(is_quoted or truth.sign * fact.nats > MIN_NATS for fact in all_facts):
        return None
    answer_writer = _AnswerWriter(assessment.task, truth, rival, facts.decisive, wording)
    guess, refuting = answer_writer.guess(chosen) if rng.random() < settings.guess else ("", None)
    thought = _describe_overview(meter, assessment, wording)
    if leading[0]:
        thought = joined(thought, wording.say("like", kind=leading[0]))
    if guess:
        thought = joined(thought, wording.say("guess", kind=guess))
    turns: list[str] = []
    before: PlannedLook | None = None
    for look, shown, leading_kind in zip(looks, chosen, leading[1:], strict=True):
        announced = _announce_look(look, before, wording, not turns)
        turns.append(_tool_call(joined(thought, announced), look))
        thought = _describe_window(look, shown, meter, wording, leading_kind)
        if refuting in shown and refuting is not None:
            thought = joined(
                thought,
                wording.say("drop_guess", kind=guess, fact=wording.fact(refuting, meaning=False)),
            )
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


def _tool_entries(look: PlannedLook, meter: Meter) -> Mapping[str, str]:
    """The numbers that the tool prints beside the picture of a look, by gate."""
    return {} if look.kind == "outside" else window_entries(meter.numbers, *look.range, meter.z)


def _quote_tool(look: PlannedLook, entries: Mapping[str, str], wording: Wording) -> PlannedLook:
    """The move with the facts that the tool tells of its window, kept in the tool's words."""
    if look.kind != "zoom":
        return look
    kept = {fact.key: entries[gate] for fact in look.facts if (gate := gate_of(fact)) in entries}
    wording.quotes.update(kept)
    return replace(look, facts=tuple(fact for fact in look.facts if fact.key in kept))


def gate_of(fact: Fact) -> str:
    """The gate (number of the measured inspector) that a fact is about."""
    if fact.state == "width":
        return f"{fact.feature.id}_em_fwhm"
    return f"EW_{fact.feature.id}" if fact.feature.is_line else fact.feature.id


def _describe_overview(meter: Meter, assessment: Assessment, wording: Wording) -> str:
    low, high = meter.range
    covers = wording.say(
        "covers", low=f"{low:.0f}", high=f"{high:.0f}", snr=f"{assessment.snr:.0f}"
    )
    return joined(covers, wording.colour(meter.colour))


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


def _leading_kinds(entries: Sequence[Mapping[str, str]], kinds: KindJudgement) -> list[str]:
    """The kind that the numbers shown so far speak for, after each look; empty if none leads."""
    scores, seen = builtin_kinds().intercepts, set[str]()
    leading = []
    for fresh in entries:
        rows = [kinds.gates.index(gate) for gate in kinds.gates if gate in fresh.keys() - seen]
        seen |= fresh.keys()
        scores = scores + kinds.parts[rows].sum(axis=0)
        chances = softmax(SHARPENING * scores)
        best = int(chances.argmax())
        is_open = chances[best] < MIN_LEADING_PROBABILITY or kinds.labels[best] in NOT_OBJECTS
        leading.append("" if is_open else kind_name(kinds.labels[best]))
    return leading


def _describe_window(
    look: PlannedLook, shown: Sequence[Fact], meter: Meter, wording: Wording, leading: str
) -> str:
    """The facts of a window, and what they mean for the question."""
    if look.kind == "outside":
        edge = meter.range[1] if look.range[0] > meter.range[0] else meter.range[0]
        return wording.say("outside", edge=f"{edge:.0f}")
    if look.kind == "wide":
        return ""
    if wording.words == "quoted":
        text = wording.facts(shown) if shown else wording.say("nothing")
        return joined(text, wording.say("like", kind=leading) if leading else wording.say("little"))
    if not shown:
        return wording.say("nothing")
    nats = sum(fact.nats for fact in shown)
    what = "for" if nats > MIN_NATS else "against" if nats < -MIN_NATS else "little"
    return joined(wording.facts(shown), wording.say(what))


def _tool_call(thought: str, look: PlannedLook) -> str:
    arguments = {"wavelength_range": list(look.range), "label": look.label}
    call = json.dumps({"name": TOOL_NAME, "arguments": arguments}, ensure_ascii=False)
    return f"<think>{thought}</think>\n<tool_call>\n{call}\n</tool_call>"


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
        if not parts:
            parts.append(
                say("it_is", kind=with_article(self.task.name)) if sign > 0 else say("nothing")
            )
        box = f"\\boxed{{{self.truth.answer}}}"
        return f"<think>{joined(thought, summed)}</think>\n<answer>{box} {' '.join(parts)}</answer>"

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
