"""Agreement between two judges, and precision and recall of one against the truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agent.confidence.intervals import checked_fraction, wilson
from agent.confidence.judged import ConfidenceError
from agent.spectra.spectrum import FloatArray

Counts = NDArray[np.int64]
Statistic = Callable[[FloatArray], FloatArray]

MAX_CATEGORIES = 100
DRAWS = 4000


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
    observed: Estimate
    """Fraction with equal verdicts."""
    kappa: Estimate
    """Cohen's kappa. Above 0.8 is near-perfect; below 0.4 suggests an unclear guideline. It is low
    for rare classes even between good judges."""


@dataclass(frozen=True)
class Scores:
    """Verdicts against the truth, for the YES class."""

    precision: Estimate
    recall: Estimate
    f1: Estimate
    accuracy: Estimate
    """Misleading where YES is rare: always NO is right 499 times in 500."""


def confusion_matrix(
    first: Sequence[Hashable], second: Sequence[Hashable], categories: Sequence[Hashable]
) -> Counts:
    """Count verdict pairs: rows are the first judge (or the truth), columns the second."""
    index = {category: number for number, category in enumerate(categories)}
    if len(index) != len(categories) or not 1 <= len(index) <= MAX_CATEGORIES:
        raise ConfidenceError(f"there must be 1 to {MAX_CATEGORIES} different categories")
    if len(first) != len(second):
        raise ConfidenceError("both judges must have judged the same candidates")
    try:
        rows = np.array([index[each] for each in first], dtype=np.int64)
        columns = np.array([index[each] for each in second], dtype=np.int64)
    except KeyError as error:
        raise ConfidenceError(f"{str(error.args[0])[:40]!r} is not a known category") from error
    size = len(index)
    return np.bincount(rows * size + columns, minlength=size * size).reshape(size, size)


def agreement(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    categories: Sequence[Hashable],
    confidence: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Compare two judges, with Wilson and bootstrap intervals."""
    counts = confusion_matrix(first, second, categories)
    n, equal = int(counts.sum()), int(np.trace(counts))
    return Agreement(
        categories=tuple(categories),
        counts=tuple(tuple(row) for row in counts.tolist()),
        n=n,
        observed=_proportion(equal, n, confidence),
        kappa=_bootstrapped(cohen_kappa, counts, confidence, seed),
    )


def binary_scores(counts: ArrayLike, confidence: float = 0.95, seed: int = 0) -> Scores:
    """Scores from a confusion matrix [[true NO, false YES], [missed, true YES]]."""
    table = _table(counts)
    if table.shape != (2, 2):
        raise ConfidenceError("precision and recall need a 2 x 2 confusion matrix")
    (true_no, false_yes), (missed, true_yes) = table.tolist()
    return Scores(
        precision=_proportion(true_yes, true_yes + false_yes, confidence),
        recall=_proportion(true_yes, true_yes + missed, confidence),
        f1=_bootstrapped(f1_score, table, confidence, seed),
        accuracy=_proportion(true_yes + true_no, int(table.sum()), confidence),
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


def _bootstrapped(statistic: Statistic, counts: Counts, confidence: float, seed: int) -> Estimate:
    """The statistic with an interval from a smoothed bootstrap."""
    n, tail = int(counts.sum()), 0.5 * (1.0 - checked_fraction(confidence, "confidence"))
    value = float(statistic(counts.astype(np.float64)))
    if n == 0 or math.isnan(value):
        return Estimate(None, float("nan"), float("nan"))
    rng = np.random.default_rng(seed)
    # One extra candidate is spread evenly over the cells. Without it, ten equal verdicts out of ten
    # would get an interval of zero width.
    shares = rng.dirichlet(counts.ravel() + 1.0 / counts.size, size=DRAWS)
    samples = statistic(shares.reshape(DRAWS, *counts.shape))
    low, high = np.quantile(samples, [tail, 1.0 - tail])
    return Estimate(value, min(float(low), value), max(float(high), value))


def _proportion(hits: int, n: int, confidence: float) -> Estimate:
    return Estimate(hits / n if n else None, *wilson(hits, n, confidence))


def _table(counts: ArrayLike) -> Counts:
    table = np.asarray(counts)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.dtype.kind not in "iu":
        raise ConfidenceError("a confusion matrix must be a square array of integers")
    if np.any(table < 0):
        raise ConfidenceError("a confusion matrix cannot have negative counts")
    return table.astype(np.int64)
