"""Writes the turns of an inspection from measurements and the true answer.

Every number in the turns was measured in a window that the inspection looks at.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from agent.evidence.assessment import Assessment
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
DECISIVE_NATS = 0.4
# A window whose facts add up to fewer nats decides little.
MIN_NATS = 0.3
FACTS_PER_WINDOW = {"short": (1, 2), "long": (2, 4)}
REASONS_PER_ANSWER = {"short": (1, 3), "long": (2, 4)}


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
    thought = _describe_overview(meter, assessment, wording)
    if guess:
        thought = joined(thought, wording.say("guess", kind=guess))
    turns: list[str] = []
    before: PlannedLook | None = None
    for look, shown in zip(looks, chosen, strict=True):
        announced = _announce_look(look, before, wording, not turns)
        turns.append(_tool_call(joined(thought, announced), look))
        thought = _describe_window(look, shown, meter, wording)
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
