"""Puts facts into words: a randomly drawn template, with numbers rounded to their precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agent.tasks.task import Task
from train.draft.facts import Fact
from train.draft.phrases import Words, phrases_for

Rng = np.random.Generator

BLUE, RED = 1.5, 0.8
"""Flux at 4240 Å over that at 6630 Å above which a continuum is blue, or below which it is red."""
VOWELS = frozenset("aeiouAEIO")
AS_LETTERS = frozenset("FHLMNRSX")
"""Letters that take "an" when spoken alone: an M giant."""


@dataclass(frozen=True)
class Wording:
    """Words sentences about one task's class; the same generator gives the same words."""

    task: Task
    words: Words
    rng: Rng

    def say(self, what: str, **parts: object) -> str:
        options = phrases_for(self.words)[what]
        template = options[int(self.rng.integers(len(options)))]
        return template.format(**self._class_names(), **parts)

    def fact(self, fact: Fact, *, meaning: bool = True) -> str:
        """One fact as a clause, with its meaning where that is known."""
        text = self.say(
            _phrase_of(fact),
            name=self._name(fact),
            value=rounded_number(fact),
            percent=f"{100 * fact.value:.0f}",
        )
        return f"{text}: {fact.meaning}" if meaning and fact.meaning else text

    def _name(self, fact: Fact) -> str:
        feature = fact.feature
        return feature.long_name if self.words == "long" else feature.name

    def facts(self, facts: Sequence[Fact]) -> str:
        """Several facts as one sentence."""
        text = "; ".join(self.fact(fact) for fact in facts)
        return sentence(text)

    def colour(self, ratio: float | None) -> str:
        if ratio is None:
            return ""
        return self.say("blue" if ratio > BLUE else "flat" if ratio > RED else "red")

    def _class_names(self) -> dict[str, str]:
        a_class = with_article(self.task.name)
        return {"a_class": a_class, "a_class_cap": a_class[0].upper() + a_class[1:]}


def with_article(name: str) -> str:
    alone = len(name) > 1 and not name[1].isalpha() and name[0] in AS_LETTERS
    return f"{'an' if name[0] in VOWELS or alone else 'a'} {name}"


def rounded_number(fact: Fact) -> str:
    """A number rounded to what a reader of the picture could see; emission has no sign."""
    value = abs(fact.value) if fact.feature.is_line else fact.value
    if fact.state == "width":
        return f"{_significant(value):.0f}"
    if fact.feature.unit != "Å":
        return f"{value:.2f}"
    shown = f"{value:.0f}" if abs(value) >= 9.95 else f"{value:.1f}"
    if abs(value) < 0.995:
        shown = f"{value:.2f}"
    return shown if fact.feature.is_line else f"{shown} Å"


def sentence(text: str) -> str:
    """Add a capital and a full stop."""
    first = text[:1]
    return f"{first.upper()}{text[1:]}." if first.islower() else f"{text}."


def joined(*sentences: str) -> str:
    return " ".join(part for part in sentences if part)


def _significant(value: float) -> float:
    """Two significant digits."""
    return float(f"{value:.2g}")


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
