"""Where to let the inspector decide alone: accept above one p(YES), reject below another, and ask
a person between.

Both cuts come with a guarantee from a finite number of judged candidates. It needs these to be a
fair sample: for precision, of the candidates above the cut (judging everything from the top down to
some p is fair too); for recall, of the real ones. It needs p(YES) as the inspector gave it, or
through Platt's line: an isotonic curve is level where the labels made it so. The cut for precision
further takes it that the chance of being real does not fall as p(YES) rises.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agent.confidence.intervals import at_least, at_most, chance_of_so_few, level
from agent.confidence.judged import ConfidenceError, JudgedScores, prior_between

Decision = Literal["accept", "ask", "reject"]

MANY = 1000
"""From so many judged candidates on, the search starts where one mistake is allowed: a single odd
object at the top then does not end it. With fewer, that start is often never reached."""


@dataclass(frozen=True, kw_only=True)
class Cut:
    """A cut in p(YES), and what it rests on. `threshold` is None where these candidates cannot
    promise what was wanted; `note` then says what would."""

    threshold: float | None
    wanted: float
    """Precision or recall."""
    delta: float | None
    """The promise fails in at most this share of all samples one could have judged. None: it holds
    on average over them."""
    observed: float
    """Precision or recall at the cut among the judged; where there is no cut, where we had to
    give up."""
    bound: float
    """The lower limit of it at level delta (of the mean where delta is None)."""
    n: int
    """Judged candidates it rests on: those above the cut (precision), the real ones (recall)."""
    note: str = ""


@dataclass(frozen=True)
class Abstention:
    """Accept from `accept_from` on, reject below `reject_below`, ask a person about the rest."""

    accept_from: float | None
    reject_below: float | None
    precision: Cut | None = None
    recall: Cut | None = None

    def __post_init__(self) -> None:
        accept, reject = self.accept_from, self.reject_below
        if accept is not None and reject is not None and accept < reject:
            raise ConfidenceError("a candidate cannot be accepted and rejected at once")

    def decide(self, p: float | None) -> Decision:
        """What happens to one candidate; without a p(YES) a person is asked."""
        if p is None or math.isnan(p):
            return "ask"
        if self.accept_from is not None and p >= self.accept_from:
            return "accept"
        if self.reject_below is not None and p < self.reject_below:
            return "reject"
        return "ask"

    def counts(self, p: ArrayLike) -> dict[Decision, int]:
        """How much work it saves on these candidates; NaN: no p(YES)."""
        values = np.asarray(p, dtype=np.float64)
        accept = 0 if self.accept_from is None else int(np.sum(values >= self.accept_from))
        reject = 0 if self.reject_below is None else int(np.sum(values < self.reject_below))
        return {"accept": accept, "ask": values.size - accept - reject, "reject": reject}


def abstain(
    judged: JudgedScores,
    *,
    precision: float | None = None,
    recall: float | None = None,
    delta: float = 0.1,
) -> Abstention:
    """Cuts for a wanted precision of what is accepted, a wanted recall of what is not rejected, or
    both; then each gets half of delta, so that both promises hold together."""
    if precision is None and recall is None:
        raise ConfidenceError("say what is wanted: a precision, a recall, or both")
    each = delta if precision is None or recall is None else delta / 2.0
    for_precision = None if precision is None else cut_for_precision(judged, precision, each)
    for_recall = None if recall is None else cut_for_recall(judged, recall, each)
    accept = for_precision.threshold if for_precision else None
    reject = for_recall.threshold if for_recall else None
    if accept is not None and reject is not None:
        reject = min(reject, accept)  # rejecting less only loses less
    return Abstention(accept, reject, for_precision, for_recall)


def cut_for_precision(judged: JudgedScores, wanted: float, delta: float = 0.1) -> Cut:
    """The lowest p(YES) from which on `wanted` of the accepted are real, except with chance delta.

    Learn then test (Angelopoulos et al. 2021), in fixed sequence: from the top down, as long as an
    exact binomial test rejects "the precision is too low" at each p. Only the first that fails
    would have to be wrongly passed for a promise to break, so the tests do not add up. Where the
    sequence starts depends on the number of candidates alone, for labels must not choose it.
    """
    _must_be_plain(judged)
    wanted, delta = prior_between(wanted, "a precision"), level(delta, "delta")
    p, hits, n = _from_the_top(judged)
    start = int(np.searchsorted(n, judged_needed(wanted, delta, int(len(judged) >= MANY))))
    passed = chance_of_so_few(n - hits, n, wanted) <= delta  # so few mistakes, were it just too low
    failed = np.flatnonzero(~passed[start:])
    last = start + int(failed[0] if failed.size else p.size - start) - 1
    if last >= start:
        return _precision_cut(float(p[last]), wanted, delta, int(hits[last]), int(n[last]))
    at = min(start, p.size - 1)
    few = int(hits[at]) if p.size else 0, int(n[at]) if p.size else 0
    return _precision_cut(None, wanted, delta, *few)


def cut_for_recall(judged: JudgedScores, wanted: float, delta: float = 0.1) -> Cut:
    """The highest p(YES) below which all may be rejected and `wanted` of the real ones be kept,
    except with chance delta. Exact for any inspector: only ranks of the real ones enter."""
    _must_be_plain(judged)
    wanted, delta = prior_between(wanted, "a recall"), level(delta, "delta")
    real = np.sort(judged.p[judged.label])
    ranks = np.arange(real.size)
    may_lose = int(np.sum(chance_of_so_few(ranks, real.size, wanted) <= delta)) - 1
    if may_lose < 0:
        needed = judged_needed(wanted, delta)
        note = f"{real.size} real ones are too few for this promise: {needed} are needed"
        return _recall_cut(None, wanted, delta, real, 0, note)
    return _recall_cut(float(real[may_lose]), wanted, delta, real, may_lose)


def cut_for_mean_recall(judged: JudgedScores, wanted: float) -> Cut:
    """As `cut_for_recall`, but kept on average over samples (conformal risk control, Angelopoulos
    et al. 2022): a higher cut and a weaker promise, for when many lists are worked through."""
    _must_be_plain(judged)
    wanted = prior_between(wanted, "a recall")
    real = np.sort(judged.p[judged.label])
    # one more real one is coming, and may be the worst of all; the last digit is rounding
    may_lose = math.floor((1.0 - wanted) * (real.size + 1) + 1e-9) - 1
    if may_lose < 0:
        needed = math.ceil(1.0 / (1.0 - wanted) - 1e-9) - 1
        note = f"{real.size} real ones are too few for this promise: {needed} are needed"
        return _recall_cut(None, wanted, None, real, 0, note)
    return _recall_cut(float(real[may_lose]), wanted, None, real, may_lose)


def judged_needed(wanted: float, delta: float = 0.1, mistakes: int = 0) -> int:
    """How many accepted (or real) ones must be judged for the promise, with so many mistakes."""
    wanted, delta = prior_between(wanted, "a share"), level(delta, "delta")
    low, high = mistakes, mistakes + 1
    while chance_of_so_few(mistakes, high, wanted) > delta:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if chance_of_so_few(mistakes, middle, wanted) > delta:
            low = middle
        else:
            high = middle
    return high


def precision_to_ask(wanted: float, judged_prior: float, field_prior: float) -> float:
    """The precision to ask of judged candidates so that it is `wanted` in the field, where real
    ones are rarer (or commoner): 0.9 at one in 500 needs 0.9989 at one in six."""
    odds = [value / (1.0 - value) for value in map(prior_between, (judged_prior, field_prior))]
    asked = prior_between(wanted, "a precision") / (1.0 - wanted) * odds[0] / odds[1]
    return asked / (1.0 + asked)


def _from_the_top(
    judged: JudgedScores,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Each p(YES) once, falling; how many real ones and how many in all it or more have."""
    p, group = np.unique(-judged.p, return_inverse=True)
    hits = np.cumsum(np.bincount(group, weights=judged.label, minlength=p.size)).astype(np.int64)
    return -p, hits, np.cumsum(np.bincount(group, minlength=p.size)).astype(np.int64)


def _precision_cut(threshold: float | None, wanted: float, delta: float, hits: int, n: int) -> Cut:
    note = ""
    if threshold is None:
        needed = judged_needed(wanted, delta)
        note = f"of the {n} with the highest p(YES) {hits} are real, which does not show it"
        if n < needed:
            note += f": {needed} without a mistake would be needed"
    return Cut(
        threshold=threshold,
        wanted=wanted,
        delta=delta,
        observed=hits / n if n else 0.0,
        bound=at_least(hits, n, delta) if n else 0.0,
        n=n,
        note=note,
    )


def _recall_cut(
    threshold: float | None,
    wanted: float,
    delta: float | None,
    real: NDArray[np.float64],
    may_lose: int,
    note: str = "",
) -> Cut:
    lost = 0 if threshold is None else int(np.searchsorted(real, threshold))
    if delta is None:
        bound = 1.0 - (may_lose + 1.0) / (real.size + 1.0)
    else:
        bound = 1.0 - at_most(may_lose, real.size, delta)
    return Cut(
        threshold=threshold,
        wanted=wanted,
        delta=delta,
        observed=1.0 - lost / real.size if real.size else 0.0,
        bound=bound,
        n=int(real.size),
        note=note,
    )


def _must_be_plain(judged: JudgedScores) -> None:
    if judged.weight is not None:
        raise ConfidenceError("a cut with a promise needs a fair sample, without weights")
