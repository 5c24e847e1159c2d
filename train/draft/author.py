"""The measured inspector as an author: from measurements and the true answer to the turns of an
inspection, every number of which was measured in a window that was looked at."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agent.evidence.assessment import Assessment
from agent.evidence.kinds import KindJudgement, builtin_kinds, softmax
from agent.evidence.window_numbers import window_entries, overview_entries
from agent.evidence.words import kind_name
from agent.protocol.reply import Verdict
from agent.protocol.tool import TOOL_NAME
from agent.tasks.task import Task
from train.draft.facts import Fact, Key, facts_of
from train.draft.meter import Meter
from train.draft.plan import Move, plan
from train.draft.settings import DraftSettings
from train.draft.signs import SIGNS
from train.draft.wording import Rng, Wording, joined, with_article
from train.simulate.campaign import CONTAMINANTS

LIKELY = 0.2
"""Probability of a kind from which it may be named, where the truth allows it."""
NO_KIND = frozenset({"ARTEFACT"})
"""Labels for whatever is no object: nothing to call it."""
LEANING = 0.5
"""Probability of a kind, by what was told so far, from which it is named."""
SHARPER = 2.0
"""A part of the numbers says less in this model than it would in one that was fitted to them: with
this, four of five looks lead on to a kind, and four of five of these are right."""
TELLING = 0.4
PLAIN = 0.3
"""Nats under which what was seen in a window decides little."""
TOLD = {"short": (1, 2), "long": (2, 4), "quoted": (1, 3)}
REASONS = {"short": (1, 3), "long": (2, 4), "quoted": (1, 3)}


@dataclass(frozen=True)
class Truth:
    """What the teacher knows: the answer, and the class of the object where it is known."""

    answer: Verdict
    label: str = ""

    @property
    def sign(self) -> float:
        return 1.0 if self.answer == "YES" else -1.0


def is_supported(assessment: Assessment, truth: Truth, min_chance: float) -> bool:
    """Whether the measurements alone speak for the true answer."""
    chance = assessment.p_yes if truth.answer == "YES" else 1.0 - assessment.p_yes
    return chance >= min_chance


def write(
    assessment: Assessment, meter: Meter, truth: Truth, settings: DraftSettings, rng: Rng
) -> tuple[str, ...] | None:
    """The turns; None where nothing that can be seen speaks for the true answer.

    Where numbers are quoted, any will do: what follows from them is for the reader to learn.
    """
    rival = _rival(assessment, truth, rng)
    facts = facts_of(assessment.task, meter, rival, is_rival=truth.answer == "NO")
    wording = Wording(assessment.task, settings.words, rng)
    is_quoted = settings.words == "quoted"
    if is_quoted:
        # What is looked at and told must not depend on the truth, or a reader learns it from that.
        facts = replace(facts, all=facts_of(assessment.task, meter).all)
    moves = plan(assessment, meter, facts.all, settings, rng)
    leans = [""] * (len(moves) + 1)
    if is_quoted:
        said = [_said(move, meter) for move in moves]
        moves = tuple(_quoted(*each, wording) for each in zip(moves, said, strict=True))
        leans = _leanings([overview_entries(meter.numbers), *said], assessment.kinds)
    told = [_told(move, settings, rng) for move in moves]
    everything = [fact for each in told for fact in each]
    if not any(is_quoted or truth.sign * fact.nats > PLAIN for fact in everything):
        return None
    teller = _Teller(assessment.task, truth, rival, facts.telling, wording)
    guess, dropping = teller.guess(told) if rng.random() < settings.guess else ("", None)
    thought = _overview(meter, assessment, wording)
    if leans[0]:
        thought = joined(thought, wording.say("like", kind=leans[0]))
    if guess:
        thought = joined(thought, wording.say("guess", kind=guess))
    turns: list[str] = []
    before: Move | None = None
    for move, shown, lean in zip(moves, told, leans[1:], strict=True):
        turns.append(_call(joined(thought, _why(move, before, wording, not turns)), move))
        thought = _report(move, shown, meter, wording, lean)
        if dropping in shown and dropping is not None:
            thought = joined(
                thought,
                wording.say("drop_guess", kind=guess, fact=wording.fact(dropping, meaning=False)),
            )
        before = move
    return (*turns, teller.answer(thought, everything))


def _rival(assessment: Assessment, truth: Truth, rng: Rng) -> str:
    """The other kind worth naming: one that the object is taken for, or what it is instead, if
    the measurements and the truth agree on that."""
    label = assessment.task.id
    ranked = [pair for pair in assessment.kinds.ranked() if pair[0] != label]
    first, chance = ranked[0]
    if truth.answer == "YES":
        others = [kind for kind in CONTAMINANTS.get(label, {}) if kind in SIGNS] or [first]
        return others[int(rng.integers(len(others)))]
    if truth.label:
        likely = dict(ranked).get(truth.label, 0.0) >= LIKELY
        return truth.label if likely and truth.label not in NO_KIND else ""
    return first if chance >= LIKELY else ""


def _told(move: Move, settings: DraftSettings, rng: Rng) -> tuple[Fact, ...]:
    """What is told of a window: the weightiest, a line's strength before its width."""
    if move.kind != "zoom":
        return ()
    fewest, most = TOLD[settings.words]
    count = int(rng.integers(fewest, most + 1))
    luck = {fact.key: 0.3 * float(rng.random()) for fact in move.facts}
    ranked = sorted(move.facts, key=lambda fact: -(abs(fact.nats) + luck[fact.key]))[:count]
    widths = [fact for fact in ranked if fact.state == "width"]
    others = [fact for fact in ranked if fact.state != "width"]
    paired: list[Fact] = []
    for fact in others:
        paired.append(fact)
        paired += [width for width in widths if width.feature == fact.feature]
    return (*paired, *(width for width in widths if width not in paired))


def _said(move: Move, meter: Meter) -> Mapping[str, str]:
    """What the tool tells of each number in a window."""
    return {} if move.kind == "outside" else window_entries(meter.numbers, *move.range, meter.z)


def _quoted(move: Move, said: Mapping[str, str], wording: Wording) -> Move:
    """The move with the facts that the tool tells of its window, kept in the tool's words."""
    if move.kind != "zoom":
        return move
    kept = {fact.key: said[gate] for fact in move.facts if (gate := gate_of(fact)) in said}
    wording.quotes.update(kept)
    return replace(move, facts=tuple(fact for fact in move.facts if fact.key in kept))


def gate_of(fact: Fact) -> str:
    """The number of the measured inspector that a fact is about."""
    if fact.state == "width":
        return f"{fact.feature.id}_em_fwhm"
    return f"EW_{fact.feature.id}" if fact.feature.is_line else fact.feature.id


def _overview(meter: Meter, assessment: Assessment, wording: Wording) -> str:
    low, high = meter.range
    covers = wording.say(
        "covers", low=f"{low:.0f}", high=f"{high:.0f}", snr=f"{assessment.snr:.0f}"
    )
    return joined(covers, wording.colour(meter.colour))


def _why(move: Move, before: Move | None, wording: Wording, first: bool) -> str:
    what = "first" if first else "next"
    if move.kind == "wide":
        what = "wide"
    elif before is not None and before.kind == "wide":
        what = "narrow"
    low, high = move.range
    return wording.say(what, label=move.label, low=low, high=high)


def _leanings(told: Sequence[Mapping[str, str]], kinds: KindJudgement) -> list[str]:
    """What kind all that was told so far speaks for, each time more was; nothing where it is open.

    From those numbers alone: whoever reads them can come to the same.
    """
    scores, seen = builtin_kinds().intercepts, set[str]()
    leans = []
    for fresh in told:
        rows = [kinds.gates.index(gate) for gate in kinds.gates if gate in fresh.keys() - seen]
        seen |= fresh.keys()
        scores = scores + kinds.parts[rows].sum(axis=0)
        chances = softmax(SHARPER * scores)
        best = int(chances.argmax())
        is_open = chances[best] < LEANING or kinds.labels[best] in NO_KIND
        leans.append("" if is_open else kind_name(kinds.labels[best]))
    return leans


def _report(move: Move, shown: Sequence[Fact], meter: Meter, wording: Wording, lean: str) -> str:
    """What a window showed, and what that means for the question."""
    if move.kind == "outside":
        edge = meter.range[1] if move.range[0] > meter.range[0] else meter.range[0]
        return wording.say("outside", edge=f"{edge:.0f}")
    if move.kind == "wide":
        return ""
    if wording.words == "quoted":
        said = wording.facts(shown) if shown else wording.say("nothing")
        return joined(said, wording.say("like", kind=lean) if lean else wording.say("little"))
    if not shown:
        return wording.say("nothing")
    nats = sum(fact.nats for fact in shown)
    what = "for" if nats > PLAIN else "against" if nats < -PLAIN else "little"
    return joined(wording.facts(shown), wording.say(what))


def _call(thought: str, move: Move) -> str:
    arguments = {"wavelength_range": list(move.range), "label": move.label}
    call = json.dumps({"name": TOOL_NAME, "arguments": arguments}, ensure_ascii=False)
    return f"<think>{thought}</think>\n<tool_call>\n{call}\n</tool_call>"


@dataclass(frozen=True)
class _Teller:
    """What needs the truth: guesses to drop, and the answer."""

    task: Task
    truth: Truth
    rival: str
    telling: frozenset[Key]
    wording: Wording

    def guess(self, told: Sequence[Sequence[Fact]]) -> tuple[str, Fact | None]:
        """A first idea that a measurement will refute, and that measurement."""
        for shown in told:
            for fact in shown:
                if self.truth.answer == "NO" and fact.nats < -TELLING:
                    return with_article(self.task.name), fact
                if self.truth.answer == "YES" and fact.key in self.telling:
                    return kind_name(self.rival), fact
        return "", None

    def answer(self, thought: str, told: Sequence[Fact]) -> str:
        say, sign = self.wording.say, self.truth.sign
        summed = say("sum_yes" if sign > 0 else "sum_no")
        ranked = sorted(told, key=lambda fact: -sign * fact.nats)
        fewest, most = REASONS[self.wording.words]
        count = int(self.wording.rng.integers(fewest, most + 1))
        reasons = [fact for fact in ranked if sign * fact.nats > PLAIN / 2][:count]
        parts = [self.wording.facts(reasons)] if reasons else []
        parts += self._on_the_rival(told, reasons)
        doubtful = [fact for fact in ranked if sign * fact.nats < -TELLING]
        against = [fact for fact in doubtful if fact.key not in self.telling]
        if against and self.wording.words == "long":
            parts.append(say("other_side", fact=self.wording.fact(against[-1], meaning=False)))
        if not parts:
            parts.append(
                say("it_is", kind=with_article(self.task.name)) if sign > 0 else say("nothing")
            )
        box = f"\\boxed{{{self.truth.answer}}}"
        return f"<think>{joined(thought, summed)}</think>\n<answer>{box} {' '.join(parts)}</answer>"

    def _on_the_rival(self, told: Sequence[Fact], reasons: Sequence[Fact]) -> list[str]:
        """The contaminant that comes nearest: ruled out, or what the object is instead."""
        if not self.rival:
            return []
        say, kind = self.wording.say, kind_name(self.rival)
        telling = [fact for fact in told if fact.key in self.telling]
        fresh = [fact for fact in telling if fact not in reasons]
        is_other = self.truth.answer == "NO"
        if not telling or (is_other and not fresh):
            return [say("it_is", kind=kind)] if is_other else []
        clause = self.wording.fact((fresh or telling)[0], meaning=False)
        if is_other:
            return [say("it_is_because", kind=kind, fact=clause)]
        bare = kind.removeprefix("an ").removeprefix("a ")
        return [say("rival", kind=kind, kind_bare=bare, fact=clause)]
