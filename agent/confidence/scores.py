"""Agreement between two judges, and precision and recall of one against the truth."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agent.confidence.judged import ConfidenceError
from agent.spectra.spectrum import FloatArray

Counts = NDArray[np.int64]
Statistic = Callable[[FloatArray], FloatArray]

MAX_CATEGORIES = 100
DRAWS = 4000
TAIL = 0.5 * (1.0 - 0.95)

Pattern = tuple[int, ...]  # verdicts on one candidate, counted per category

MAX_BATCH = 2_000_000  # random numbers drawn at once, to bound the memory


@dataclass(frozen=True)
class Estimate:
    """A value with its confidence interval; None if undefined, as recall without positives."""

    value: float | None
    low: float
    high: float


@dataclass(frozen=True)
class Agreement:
    """Two judges of the same candidates.

    `counts[i][j]` candidates are `categories[i]` to the first and `categories[j]` to the second.
    """

    categories: tuple[Hashable, ...]
    counts: tuple[tuple[int, ...], ...]
    n: int
    observed: Estimate  # fraction with equal verdicts
    kappa: Estimate
    """Cohen's kappa. Above 0.8 is near-perfect; below 0.4 suggests an unclear guideline. It is low
    for rare classes even between good judges."""


@dataclass(frozen=True)
class Scores:
    """Verdicts against the truth, for the YES class."""

    precision: Estimate
    recall: Estimate
    f1: Estimate
    accuracy: Estimate  # Misleading where YES is rare: always NO is right 499 times in 500.


def confusion_matrix(
    first: Sequence[Hashable], second: Sequence[Hashable], categories: Sequence[Hashable]
) -> Counts:
    """Count verdict pairs: rows are the first judge (or the truth), columns the second."""
    index = {category: number for number, category in enumerate(categories)}
    if len(index) > MAX_CATEGORIES:
        raise ConfidenceError(f"there must be 1 to {MAX_CATEGORIES} different categories")
    rows = np.array([index[each] for each in first], dtype=np.int64)
    columns = np.array([index[each] for each in second], dtype=np.int64)
    size = len(index)
    return np.bincount(rows * size + columns, minlength=size * size).reshape(size, size)


def agreement(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    categories: Sequence[Hashable],
    seed: int = 0,
) -> Agreement:
    """Compare two judges, with Wilson and bootstrap intervals."""
    counts = confusion_matrix(first, second, categories)
    n, equal = int(counts.sum()), int(np.trace(counts))
    return Agreement(
        categories=tuple(categories),
        counts=tuple(tuple(row) for row in counts.tolist()),
        n=n,
        observed=_proportion(equal, n),
        kappa=_bootstrapped(cohen_kappa, counts, seed),
    )


def binary_scores(counts: ArrayLike, seed: int = 0) -> Scores:
    """Scores from a confusion matrix [[true NO, false YES], [missed, true YES]]."""
    table = np.asarray(counts, dtype=np.int64)
    (true_no, false_yes), (missed, true_yes) = table.tolist()
    return Scores(
        precision=_proportion(true_yes, true_yes + false_yes),
        recall=_proportion(true_yes, true_yes + missed),
        f1=_bootstrapped(f1_score, table, seed),
        accuracy=_proportion(true_yes + true_no, int(table.sum())),
    )


def cohen_kappa(counts: ArrayLike) -> FloatArray:
    """Cohen's kappa of (..., k, k) matrices; NaN where both judges used one and the same word."""
    table = np.asarray(counts, dtype=np.float64)
    total = table.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = np.trace(table, axis1=-2, axis2=-1) / total
        by_chance = np.sum(table.sum(axis=-1) * table.sum(axis=-2), axis=-1) / total**2
        return np.where(by_chance < 1.0, (observed - by_chance) / (1.0 - by_chance), np.nan)


def f1_score(counts: ArrayLike) -> FloatArray:
    """F1 of (..., 2, 2) matrices; NaN where nothing is real and nothing was called YES."""
    table = np.asarray(counts, dtype=np.float64)
    true_yes = 2.0 * table[..., 1, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return true_yes / (true_yes + table[..., 0, 1] + table[..., 1, 0])


def _bootstrapped(statistic: Statistic, counts: Counts, seed: int) -> Estimate:
    """The statistic with an interval from a smoothed bootstrap."""
    # One extra candidate is spread evenly over the cells. Without it, ten equal verdicts out of ten
    # would get an interval of zero width.
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(counts.ravel() + 1.0 / counts.size, size=DRAWS)
    samples = statistic(shares.reshape(DRAWS, *counts.shape))
    return _estimate(statistic(counts.astype(np.float64)), samples)


def _proportion(hits: int, n: int) -> Estimate:
    return Estimate(hits / n if n else None, *wilson(hits, n))


# Fleiss' kappa: agreement between several judges, not all of whom judged everything.
@dataclass(frozen=True)
class FleissKappa:
    """Agreement of several judges on candidates that two or more of them judged."""

    categories: tuple[Hashable, ...]
    n: int  # number of candidates
    verdicts: int  # number of verdicts on them, by all judges
    observed: Estimate  # fraction of agreeing pairs of judges, averaged over candidates
    kappa: Estimate


def fleiss_agreement(
    patterns: Mapping[Pattern, int], categories: Sequence[Hashable], seed: int = 0
) -> FleissKappa:
    """Fleiss' kappa from the number of candidates with each pattern of verdicts.

    Candidates with fewer than two verdicts are left out. Fleiss (1971) has equally many judges for
    every candidate; where the numbers differ, each candidate counts equally in the observed
    agreement and each verdict equally in the agreement by chance.
    """
    # Patterns with two or more verdicts, sorted, and the number of candidates with each.
    kept = sorted(pattern for pattern, number in patterns.items() if sum(pattern) > 1 and number)
    counts = np.array(kept, dtype=np.int64).reshape(-1, len(categories))
    times = np.array([patterns[pattern] for pattern in kept], dtype=np.float64)
    sums, samples = times @ _terms(counts), _bootstrap(counts, times, seed)
    return FleissKappa(
        categories=tuple(categories),
        n=int(times.sum()),
        verdicts=int(times @ counts.sum(axis=1)),
        observed=_estimate(_observed(sums), _observed(samples)),
        kappa=_estimate(_kappa(sums), _kappa(samples)),
    )


def _terms(counts: NDArray[np.int64]) -> FloatArray:
    """(candidates, 2 + k) summands of kappa: 1, the fraction of agreeing pairs, the k counts."""
    n = counts.sum(axis=1, dtype=np.float64)
    pairs = np.sum(counts * (counts - 1.0), axis=1) / (n * (n - 1.0))
    return np.column_stack([np.ones(len(counts)), pairs, counts])


def _kappa(sums: FloatArray) -> FloatArray:
    """Kappa from (..., 2 + k) sums of `_terms`."""
    observed = _observed(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = sums[..., 2:] / sums[..., 2:].sum(axis=-1, keepdims=True)
        by_chance = np.sum(share**2, axis=-1)
        return np.where(by_chance < 1.0, (observed - by_chance) / (1.0 - by_chance), np.nan)


def _observed(sums: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., 1] / sums[..., 0])


def _bootstrap(counts: NDArray[np.int64], times: FloatArray, seed: int) -> FloatArray:
    """(DRAWS, 2 + k) sums of `_terms` over resampled candidates.

    Each sample has one extra candidate with random verdicts: complete agreement on ten candidates
    must not give an interval of zero width.
    """
    if not len(counts):
        return np.empty((0, 2 + counts.shape[1]))
    rng = np.random.default_rng(seed)
    terms, size = _terms(counts), counts.shape[1]
    sums = np.empty((DRAWS, terms.shape[1]))
    step = max(1, MAX_BATCH // len(counts))
    for start in range(0, DRAWS, step):
        rows = min(step, DRAWS - start)
        sums[start : start + rows] = rng.standard_gamma(times, size=(rows, len(times))) @ terms
    judges = round(float(times @ counts.sum(axis=1)) / float(times.sum()))
    random = _terms(rng.multinomial(judges, np.full(size, 1.0 / size), size=DRAWS))
    return sums + rng.standard_exponential((DRAWS, 1)) * random


def _estimate(value: FloatArray, samples: FloatArray) -> Estimate:
    number = float(value)
    if np.isnan(number):
        return Estimate(None, float("nan"), float("nan"))
    low, high = np.nanquantile(samples, [TAIL, 1.0 - TAIL])
    return Estimate(number, min(float(low), number), max(float(high), number))


# Confidence limits of a binomial proportion.
def wilson(hits: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Two-sided Wilson score interval; it is not empty at 0 of 5 or 5 of 5. Numbers of readings
    that are not independent may be divided by their design effect."""
    if n == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + 0.5 * checked_fraction(confidence, "confidence"))
    share, widen = hits / n, z * z / n
    centre = (share + 0.5 * widen) / (1.0 + widen)
    half = z * math.sqrt(share * (1.0 - share) / n + 0.25 * widen / n) / (1.0 + widen)
    low = 0.0 if hits == 0 else max(0.0, centre - half)
    high = 1.0 if hits == n else min(1.0, centre + half)
    return low, high


def lower_limit(hits: int, n: int, delta: float) -> float:
    """One-sided Clopper-Pearson lower limit at confidence 1 - `delta`."""
    from scipy.special import betaincinv

    if hits == 0:
        return 0.0
    return float(betaincinv(hits, n - hits + 1, checked_fraction(delta, "delta")))


def upper_limit(hits: int, n: int, delta: float) -> float:
    """One-sided Clopper-Pearson upper limit at confidence 1 - `delta`."""
    return 1.0 - lower_limit(n - hits, n, delta) if n else 1.0


def binomial_tail(mistakes: ArrayLike, n: ArrayLike, success: float) -> FloatArray:
    """Probability of at most `mistakes` failures in `n` trials that succeed with `success`."""
    from scipy.special import betainc

    # scipy.stats.binom takes no n above 31 bits; the incomplete beta function does.
    wrong, right = np.asarray(mistakes), np.subtract(n, mistakes)
    tail = betainc(np.maximum(right, 1), wrong + 1, success)
    return np.where(right > 0, tail, 1.0)


def checked_fraction(value: float, name: str) -> float:
    """Raises ConfidenceError unless `value` is strictly between 0 and 1."""
    if not 0.0 < value < 1.0:
        raise ConfidenceError(f"{name} must be between 0 and 1, but it is {value}")
    return float(value)
