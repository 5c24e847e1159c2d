"""Claims about what catalogues say of an object, weighed apart from its spectrum."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

CatalogueExpect = Literal["above", "below", "one_of"]

VALUE_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}\.[a-z][a-z0-9_]{0,59}")
"""A service and a value of it, as in filters: `gaia.bp_rp`."""
PLACEHOLDER = re.compile(r"\{(label|value|limit)(?::(\+?\.[0-4]f))?\}")
HEAVIEST = 3.0  # Most of a weight: nobody has fitted these weights to known stars.
Value = str | float | None
_BETWEEN_WORDS = re.compile(r"[\s+|/:,;]+")


@dataclass(frozen=True, kw_only=True)
class CatalogueEvidence:
    """One claim. Weights are log-odds in nats for the class: a judgement, not a fit.

    A number lies above or below a limit, which may depend on another value; a text names one of
    some words. Whoever knows what the services said applies it: here are the rule and its words.
    """

    id: str
    label: str
    value: tuple[str, ...]
    """The value's name, or two names of which the first less the second counts."""
    expect: CatalogueExpect
    threshold: float = 0.0
    against: str = ""  # name of the value on which the limit depends
    limits: tuple[tuple[float, float], ...] = ()
    """Points of the limit as (`against`, value), joined by straight lines."""
    scale: float = 1.0  # distance from the limit at which the claim has 76 % of its weight
    words: tuple[str, ...] = ()
    other_words: tuple[str, ...] = ()
    """Words that speak against the class; what is in neither list says nothing about it."""
    weight_for: float
    weight_against: float
    group: str = ""  # of claims of one group only the heaviest counts, as they repeat each other
    source: str  # where the limit or the words are from
    text_found: str
    text_absent: str

    @property
    def names(self) -> tuple[str, ...]:
        """All values that it needs."""
        return (*self.value, self.against) if self.against else self.value

    @property
    def services(self) -> tuple[str, ...]:
        """The services that it needs, each once."""
        return tuple(dict.fromkeys(name.partition(".")[0] for name in self.names))

    @property
    def is_about_text(self) -> bool:
        return self.expect == "one_of"

    def limit(self, other: float | None = None) -> float | None:
        """The limit where the other value is `other`; None outside the range of its points."""
        if not self.limits:
            return self.threshold
        if other is None or not math.isfinite(other):
            return None
        for (left, low), (right, high) in zip(self.limits, self.limits[1:], strict=False):
            if left <= other <= right:
                return low + (high - low) * (other - left) / (right - left)
        return None

    def excess(self, value: float, limit: float) -> float:
        """Distance of a value beyond the limit; negative if it is not reached."""
        return value - limit if self.expect == "above" else limit - value

    def log_odds(self, value: float, limit: float, error: float = 0.0) -> float:
        """From `weight_against` far short of the limit to `weight_for` far beyond it; 0 at it."""
        softness = math.hypot(self.scale, error)
        return weight_at(self.excess(value, limit) / softness, self.weight_for, self.weight_against)

    def log_odds_of(self, text: str) -> float | None:
        """The weight of a text; None where it has none of the words."""
        said = {text.casefold(), *_BETWEEN_WORDS.split(text.casefold())}
        if any(word.casefold() in said for word in self.words):
            return self.weight_for
        if any(word.casefold() in said for word in self.other_words):
            return self.weight_against
        return None

    def sentence(
        self, template: str, label: str, value: float | str, limit: float | None = None
    ) -> str:
        """`text_found` or `text_absent`, or its translation, with label and numbers put in."""
        values: dict[str, Value] = {"label": label, "value": value, "limit": limit}
        return filled(PLACEHOLDER, template, values, unknown="?")


def weight_at(excess: float, weight_for: float, weight_against: float) -> float:
    """The weight at this distance beyond a limit, in units of the claim's scale."""
    share = math.tanh(excess)
    return weight_for * share if share > 0 else -weight_against * share


def filled(
    placeholder: re.Pattern[str], template: str, values: Mapping[str, Value], unknown: str
) -> str:
    """The template with texts and numbers in place of its placeholders."""

    def fill(match: re.Match[str]) -> str:
        name, form = match.groups()
        value = values[name]
        if isinstance(value, str):
            return value
        text = unknown if value is None else format(value, form or ".2f")
        return text.lstrip("+-") if value is not None and float(text) == 0 else text  # no "-0.00"

    return placeholder.sub(fill, template)


def heaviest_of_groups(claims: Sequence[tuple[str, float]]) -> list[bool]:
    """Which of some claims count, given as group and log-odds: the heaviest of each group."""
    best: dict[str, int] = {}
    for number, (group, log_odds) in enumerate(claims):
        if group and (group not in best or abs(log_odds) > abs(claims[best[group]][1])):
            best[group] = number
    return [not group or best[group] == number for number, (group, _) in enumerate(claims)]
