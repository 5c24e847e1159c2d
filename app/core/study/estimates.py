"""Estimates with intervals that allow for readings of the same candidate being alike.

The people are taken as they are, and the candidates as a sample: what is said holds for these
people and other candidates of the kind.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from agent.confidence.scores import Estimate, binomial_tail, wilson
from agent.spectra.spectrum import FloatArray

Statistic = Callable[[FloatArray], FloatArray]
NONE = Estimate(None, float("nan"), float("nan"))
MIN_CANDIDATES = 3  # with a contribution; the spread of fewer says nothing


def share(hits: FloatArray, n: FloatArray) -> Estimate:
    """The share of hits, from hits and numbers by candidate, with Wilson's interval.

    Its number of readings is divided by how much more the shares of candidates vary than those of
    independent readings would, as Kish has it.
    """
    total = float(n.sum())
    if not total:
        return NONE
    value = float(hits.sum()) / total
    count = int(np.sum(n > 0))
    alone = value * (1.0 - value) / total
    design_effect = 1.0
    if count > 1 and alone > 0.0:
        spread = float(np.sum((hits - value * n) ** 2)) / total**2
        design_effect = max(1.0, spread * count / (count - 1) / alone)
    effective = total / design_effect
    low, high = wilson(value * effective, effective)
    return Estimate(value, low, high)


def jackknife(terms: FloatArray, statistic: Statistic) -> tuple[Estimate, float]:
    """A statistic of the sums of (candidates, k) terms, with an interval and a p-value.

    The interval is Student's, from leaving out one candidate after the other. The p-value is of
    the statistic being 0; it is never smaller than the signs of so few candidates can make it.
    """
    from scipy.special import stdtr, stdtrit

    terms = terms[np.any(terms != 0.0, axis=1)]
    count = len(terms)
    if count < MIN_CANDIDATES:
        return NONE, 1.0
    total = terms.sum(axis=0)
    value, without = float(statistic(total)), statistic(total - terms)
    if not np.isfinite(value) or not np.all(np.isfinite(without)):
        return NONE, 1.0
    error = float(np.sqrt((count - 1) / count * np.sum((without - without.mean()) ** 2)))
    half = float(stdtrit(count - 1, 0.975)) * error
    if value == 0.0:
        p = 1.0
    else:
        by_t = 2.0 * float(stdtr(count - 1, -abs(value) / error)) if error else 0.0
        p = min(1.0, max(by_t, 2.0 ** (1 - count)))
    return Estimate(value, value - half, value + half), p


def sign_test(one_way: int, other_way: int) -> float:
    """The chance of a difference as large if both ways were equally likely."""
    n = one_way + other_way
    return min(1.0, 2.0 * float(binomial_tail(min(one_way, other_way), n, 0.5))) if n else 1.0


def by_candidate(candidate: NDArray[np.int64], weights: FloatArray, size: int) -> FloatArray:
    """The sum of the weights of each candidate's readings."""
    return np.bincount(candidate, weights=weights, minlength=size).astype(np.float64)


# Agreement of several people, from (candidates, verdicts) counts.
def krippendorff_alpha(counts: FloatArray) -> Estimate:
    """For words without an order; candidates with fewer than two verdicts are left out."""
    counts = counts[counts.sum(axis=1) > 1]
    if not len(counts):
        return NONE
    n = counts.sum(axis=1)
    differing = (n**2 - np.sum(counts**2, axis=1)) / (n - 1.0)

    def alpha(sums: FloatArray) -> FloatArray:
        verdicts = sums[..., 1:]
        total = verdicts.sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            observed = sums[..., 0] / total
            expected = (total**2 - np.sum(verdicts**2, axis=-1)) / (total * (total - 1.0))
            return np.asarray(1.0 - observed / expected)

    return jackknife(np.column_stack([differing, counts]), alpha)[0]


def gwet_ac2(counts: FloatArray, weights: FloatArray) -> Estimate:
    """Gwet's coefficient, which stays high for rare classes; `weights` say how alike two verdicts
    are, 1 on the diagonal. Candidates with one verdict count in the agreement by chance."""
    counts = counts[counts.sum(axis=1) > 0]
    n = counts.sum(axis=1)
    several = n > 1
    if not several.any():
        return NONE
    pairs = np.where(several, n * (n - 1.0), 1.0)
    agreeing = np.sum(counts * (counts @ weights - 1.0), axis=1) / pairs
    columns = np.ones(len(n)), several, np.where(several, agreeing, 0.0), counts / n[:, None]
    size = len(weights)

    def coefficient(sums: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore", divide="ignore"):
            pi = sums[..., 3:] / sums[..., :1]
            chance = weights.sum() / (size * (size - 1)) * np.sum(pi * (1.0 - pi), axis=-1)
            return np.asarray((sums[..., 2] / sums[..., 1] - chance) / (1.0 - chance))

    return jackknife(np.column_stack(columns), coefficient)[0]
