"""The order in which a person should see candidates, and why each stands where it does."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, get_args

import numpy as np

from agent.confidence.judged import SURE, ConfidenceError, prior_between
from agent.protocol.reply import Verdict
from agent.trajectory.p_yes import p_from_votes
from agent.trajectory.trajectory import StoppedBy

Mode = Literal["likely first", "uncertain first", "disagreement first", "expected gain"]
Why = Literal[
    "likely",
    "verdict",
    "doubtful",
    "opposed",
    "wavers",
    "malformed",
    "apart",
    "alone",
    "gain",
    "undecided",
    "failed",
    "unseen",
]
MODES: tuple[Mode, ...] = get_args(Mode)

SENTENCES: dict[Why, str] = {
    "likely": "p(YES) {p:.3g}",
    "verdict": "the inspector says {verdict}, without a probability",
    "doubtful": "p(YES) {p:.3g}, the cut is at {other:.3g}",
    "opposed": "two inspectors differ: p(YES) {p:.3g} and {other:.3g}",
    "wavers": "the inspector's runs differ: p(YES) {p:.3g} with a spread of {other:.2g}",
    "malformed": "the inspector's answer is not well formed",
    "apart": "p(YES) {p:.3g} and {other:.3g} of two inspectors",
    "alone": "no second opinion; p(YES) {p:.3g}",
    "gain": "p(YES) {p:.3g}: decided without you, it costs {other:.3g} errors on average",
    "undecided": "the inspector looked and came to no verdict",
    "failed": "the inspection failed",
    "unseen": "not inspected yet",
}
"""What a person is told; for a translation, the same keys and places."""

WAVERING = 0.2
"""A spread from which on an inspector is said to change its mind from run to run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """What triage needs to know of a candidate. p(YES) should be calibrated where it can be."""

    key: Hashable
    p_yes: float | None = None
    spread: float | None = None
    """Standard deviation of p(YES) over runs, where there were several."""
    verdict: Verdict | None = None
    second_p_yes: float | None = None
    """Of another inspector, say the measured one beside a model."""
    second_verdict: Verdict | None = None
    stopped_by: StoppedBy | None = None
    """None: nobody inspected it yet."""
    well_formed: bool = True

    def __post_init__(self) -> None:
        for p in (self.p_yes, self.second_p_yes):
            if p is not None and not 0.0 <= p <= 1.0:
                raise ConfidenceError(f"a p(YES) of {p} is no probability")
        if self.spread is not None and not 0.0 <= self.spread <= 1.0:
            raise ConfidenceError(f"a spread of {self.spread} is not usable (0 to 1)")


class Place(NamedTuple):
    """A candidate in its place. A tuple, for there may be a million of them."""

    key: Hashable
    why: Why
    tier: int
    worth: float
    """Lower tiers come first, in each the higher worth, then the order of the list."""
    p: float = math.nan
    other: float = math.nan
    """What the reason sets beside p(YES): a cut, a spread, a second p(YES), a cost."""
    verdict: Verdict | None = None

    @property
    def reason(self) -> str:
        """One line for the person."""
        return SENTENCES[self.why].format(p=self.p, other=self.other, verdict=self.verdict)


def triage(
    items: Sequence[Item], mode: Mode, *, cut: float = 0.5, miss_cost: float = 1.0
) -> list[Place]:
    """All candidates, the one to see first in front; ties keep the order of the list.

    likely first: p(YES) falling, to build a catalogue.
    uncertain first: nearest to `cut` in log odds; what teaches a model most.
    disagreement first: two inspectors of opposite minds, then one whose runs differ, then those
    without a verdict or with an ill-formed answer, then two whose p(YES) lie apart.
    expected gain: what deciding without a person would cost on average, in false ones, where
    losing a real one costs `miss_cost` of them.
    """
    prior_between(cut, "a cut")
    if not 0.0 < miss_cost <= 1e9:
        raise ConfidenceError(f"a cost of {miss_cost} for a miss is not usable")
    place = _placing(items, mode, cut, miss_cost)
    places = [place(item) for item in items]
    tiers = np.array([one.tier for one in places], dtype=np.int64)
    worths = np.array([one.worth for one in places], dtype=np.float64)
    return [places[number] for number in np.lexsort((-worths, tiers)).tolist()]


def _placing(
    items: Sequence[Item], mode: Mode, cut: float, miss_cost: float
) -> Callable[[Item], Place]:
    if mode == "likely first":
        return _likely
    if mode == "uncertain first":
        return partial(_uncertain, cut, _log_odds(cut))
    if mode == "disagreement first":
        return partial(_disagreeing, cut)
    if mode == "expected gain":
        known = [p for p in map(_p_of, items) if p is not None]
        usual = math.fsum(known) / len(known) if known else 0.5
        return partial(_gaining, miss_cost, usual)
    raise ConfidenceError(f"there is no triage {str(mode)[:40]!r}: take one of {', '.join(MODES)}")


def _likely(item: Item) -> Place:
    p = _p_of(item)
    if p is None:
        return _unknown(item)
    return _place(item, _known(item, "likely"), 0, p, p)


def _uncertain(cut: float, at: float, item: Item) -> Place:
    p = _p_of(item)
    if p is None:
        return _unknown(item, undecided=0, worth=math.inf)
    return _place(item, _known(item, "doubtful"), 0, -abs(_log_odds(p) - at), p, cut)


def _disagreeing(cut: float, item: Item) -> Place:
    p, second = _p_of(item), _chance(item.second_p_yes, item.second_verdict)
    if p is None:
        return _unknown(item, undecided=2)
    says_yes = _side(p, item.verdict, cut)
    if second is not None and says_yes != _side(second, item.second_verdict, cut):
        return _place(item, "opposed", 0, abs(p - second), p, second)
    if item.spread is not None and item.spread >= WAVERING:
        return _place(item, "wavers", 1, item.spread, p, item.spread)
    if not item.well_formed:
        return _place(item, "malformed", 3, 0.0, p)
    if second is not None:
        return _place(item, "apart", 4, abs(p - second), p, second)
    return _place(item, "alone", 5, -abs(p - cut), p)


def _gaining(miss_cost: float, usual: float, item: Item) -> Place:
    p = _p_of(item)
    if p is None:  # one that only a person can decide is taken to be as real as the others are
        return _unknown(item, undecided=0, worth=min(miss_cost * usual, 1.0 - usual))
    cost = min(miss_cost * p, 1.0 - p)
    return _place(item, "gain", 0, cost, p, cost)


def _unknown(item: Item, undecided: int = 7, worth: float = 0.0) -> Place:
    """Behind all that have a p(YES), but for those who came to no verdict where a mode says so."""
    if item.stopped_by is None or item.stopped_by == "cancelled":
        return _place(item, "unseen", 9, 0.0)
    if item.stopped_by == "error":
        return _place(item, "failed", 8, 0.0)
    return _place(item, "undecided", undecided, worth)


def _known(item: Item, why: Why) -> Why:
    return "verdict" if item.p_yes is None else why


def _p_of(item: Item) -> float | None:
    return _chance(item.p_yes, item.verdict)


def _chance(p_yes: float | None, verdict: Verdict | None) -> float | None:
    """p(YES), or what one verdict alone is worth."""
    if p_yes is not None or verdict is None:
        return p_yes
    return p_from_votes(int(verdict == "YES"), 1)


def _side(p: float, verdict: Verdict | None, cut: float) -> bool:
    """Whether an inspector is for YES: its verdict, else its p(YES). A calibrated p(YES) of a
    rare class may well be below the cut where the verdict is YES."""
    return p >= cut if verdict is None else verdict == "YES"


def _log_odds(p: float) -> float:
    return math.log(max(p, SURE)) - math.log(max(1.0 - p, SURE))


def _place(
    item: Item, why: Why, tier: int, worth: float, p: float = math.nan, other: float = math.nan
) -> Place:
    return Place(item.key, why, tier, worth, p, other, item.verdict)
