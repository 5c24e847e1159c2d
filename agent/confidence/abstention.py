"""Cuts in p(YES): accept above one, reject below another, and ask a person in between.

Both cuts carry a finite-sample guarantee, which holds under these assumptions:

- The judged candidates are a fair sample: for precision, of the candidates above the cut (judging
  everything down to some p is fair, too); for recall, of the real ones.
- p(YES) is raw or Platt-calibrated. An isotonic curve is flat where the labels made it so.
- For precision, the chance of being real does not fall as p(YES) rises.
"""

from bisect import bisect_left
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from agent.confidence.judged import ConfidenceError, JudgedScores
from agent.confidence.scores import binomial_tail, checked_fraction, lower_limit, upper_limit

Decision = Literal["accept", "ask", "reject"]

# With this many judged candidates the search starts where one mistake is allowed, so that a single
# odd object at the top does not end it. With fewer, that start is often never reached.
LARGE_SAMPLE = 1000


@dataclass(frozen=True, kw_only=True)
class Cut:
    """A cut in p(YES) that guarantees a precision or recall of `wanted`.

    `threshold` is None if the judged candidates are not enough; `note` then says what would be.
    """

    threshold: float | None
    wanted: float
    delta: float  # the probability that the guarantee fails
    observed: float
    """Precision or recall of the judged candidates at the cut, or where the search stopped."""
    bound: float  # lower confidence limit of `observed`, at level delta
    n: int  # Judged candidates used: those above the cut (precision) or the real ones (recall).
    note: str = ""


@dataclass(frozen=True)
class Abstention:
    """Decision rule: accept from one p(YES) on, reject below another, otherwise ask a person."""

    accept_from: float | None
    reject_below: float | None
    precision: Cut | None = None
    recall: Cut | None = None

    def counts(self, p: ArrayLike) -> dict[Decision, int]:
        """Number of candidates per decision; NaN means that there is no p(YES)."""
        values = np.asarray(p, dtype=np.float64)
        accept = 0 if self.accept_from is None else int(np.sum(values >= self.accept_from))
        reject = 0 if self.reject_below is None else int(np.sum(values < self.reject_below))
        return {"accept": accept, "ask": values.size - accept - reject, "reject": reject}


def choose_cuts(
    judged: JudgedScores,
    *,
    precision: float | None = None,
    recall: float | None = None,
    delta: float = 0.1,
) -> Abstention:
    """Choose cuts for a precision of the accepted, a recall of the not rejected, or both.

    With both, each cut gets half of delta, so that the guarantees hold jointly.
    """
    if precision is None and recall is None:
        raise ConfidenceError("give a precision, a recall, or both")
    each_delta = delta if precision is None or recall is None else delta / 2.0
    for_precision = None if precision is None else cut_for_precision(judged, precision, each_delta)
    for_recall = None if recall is None else cut_for_recall(judged, recall, each_delta)
    accept = for_precision.threshold if for_precision else None
    reject = for_recall.threshold if for_recall else None
    if accept is not None and reject is not None:
        reject = min(reject, accept)  # rejecting fewer never lowers the recall
    return Abstention(accept, reject, for_precision, for_recall)


def cut_for_precision(judged: JudgedScores, wanted: float, delta: float = 0.1) -> Cut:
    """The lowest p(YES) above which the precision is at least `wanted`, with confidence 1 - delta.

    Fixed-sequence testing (Learn then Test, Angelopoulos et al. 2021): from the highest p(YES)
    down, as long as an exact binomial test rejects "the precision is too low". The guarantee
    breaks only if the first true null hypothesis is rejected, so no multiple-testing correction
    is needed. The start depends on the number of candidates alone; labels must not choose it.
    """
    wanted, delta = checked_fraction(wanted, "precision"), checked_fraction(delta, "delta")
    p, hits, n = judged.falling_counts()
    start = int(np.searchsorted(n, judged_needed(wanted, delta, int(len(judged) >= LARGE_SAMPLE))))
    passed = binomial_tail(n - hits, n, wanted) <= delta
    failed = np.flatnonzero(~passed[start:])
    last = start + int(failed[0] if failed.size else p.size - start) - 1
    is_sure = last >= start
    stop = last if is_sure else min(start, p.size - 1)
    real, above = (int(hits[stop]), int(n[stop])) if p.size else (0, 0)
    note = ""
    if not is_sure:
        needed = judged_needed(wanted, delta)
        note = f"{real} of the {above} with the highest p(YES) are real, "
        note += "which is not enough to be sure"
        note += f": {needed} without a mistake are needed" if above < needed else ""
    return Cut(
        threshold=float(p[last]) if is_sure else None,
        wanted=wanted,
        delta=delta,
        observed=real / above if above else 0.0,
        bound=lower_limit(real, above, delta) if above else 0.0,
        n=above,
        note=note,
    )


def cut_for_recall(judged: JudgedScores, wanted: float, delta: float = 0.1) -> Cut:
    """The highest p(YES) to reject below with a recall of `wanted`, with confidence 1 - delta.

    The guarantee is distribution-free: only the ranks of the real candidates enter.
    """
    wanted, delta = checked_fraction(wanted, "recall"), checked_fraction(delta, "delta")
    real = np.sort(judged.p[judged.label])
    ranks = np.arange(real.size)
    losses = int(np.sum(binomial_tail(ranks, real.size, wanted) <= delta)) - 1
    threshold = float(real[losses]) if losses >= 0 else None
    lost = 0 if threshold is None else int(np.searchsorted(real, threshold))
    note = ""
    if threshold is None:
        needed = judged_needed(wanted, delta)
        note = f"{real.size} real candidates are too few: {needed} are needed"
    return Cut(
        threshold=threshold,
        wanted=wanted,
        delta=delta,
        observed=1.0 - lost / real.size if real.size else 0.0,
        bound=1.0 - upper_limit(max(losses, 0), real.size, delta),
        n=int(real.size),
        note=note,
    )


def judged_needed(wanted: float, delta: float = 0.1, mistakes: int = 0) -> int:
    """Judged candidates needed to guarantee `wanted` when that many of them are mistakes."""
    wanted = checked_fraction(wanted, "precision or recall")
    delta = checked_fraction(delta, "delta")

    def is_enough(n: int) -> bool:
        return bool(binomial_tail(mistakes, n, wanted) <= delta)

    high = mistakes + 1
    while not is_enough(high):
        high *= 2
    return bisect_left(range(high), True, lo=mistakes + 1, key=is_enough)
