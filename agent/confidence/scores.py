"""How far two judges agree, and how good one is where the other is the truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agent.confidence.intervals import level, wilson
from agent.confidence.judged import ConfidenceError

Counts = NDArray[np.int64]
Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]

MAX_CATEGORIES = 100
DRAWS = 4000


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval; None where it is not defined (no positives, say)."""

    value: float | None
    low: float
    high: float


@dataclass(frozen=True)
class Agreement:
    """Two judges over the same candidates; `counts[i][j]` are those the first called
    `categories[i]` and the second `categories[j]`."""

    categories: tuple[Hashable, ...]
    counts: tuple[tuple[int, ...], ...]
    n: int
    observed: Estimate
    """The share both judged alike."""
    kappa: Estimate
    """Cohen's: agreement beyond chance. 0 is chance, 1 complete; above 0.8 two people work as one,
    below 0.4 the guideline should be talked over. Low for rare classes even between good judges."""


@dataclass(frozen=True)
class Scores:
    """Of verdicts against the truth, for the class that is looked for."""

    precision: Estimate
    """Of what was called YES, the share that is real."""
    recall: Estimate
    """Of what is real, the share that was called YES."""
    f1: Estimate
    accuracy: Estimate
    """Flatters where YES is rare: NO to everything is right 499 times in 500."""


def confusion_matrix(
    first: Sequence[Hashable], second: Sequence[Hashable], categories: Sequence[Hashable]
) -> Counts:
    """Rows the first judge (or the truth), columns the second."""
    place = {category: number for number, category in enumerate(categories)}
    if len(place) != len(categories) or not 1 <= len(place) <= MAX_CATEGORIES:
        raise ConfidenceError(f"categories must differ and be 1 to {MAX_CATEGORIES}")
    if len(first) != len(second):
        raise ConfidenceError("both judges must have judged the same candidates")
    try:
        rows = np.array([place[one] for one in first], dtype=np.int64)
        columns = np.array([place[one] for one in second], dtype=np.int64)
    except KeyError as error:
        raise ConfidenceError(f"{str(error.args[0])[:40]!r} is none of the categories") from error
    size = len(place)
    return np.bincount(rows * size + columns, minlength=size * size).reshape(size, size)


def agreement(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    categories: Sequence[Hashable],
    confidence: float = 0.95,
    seed: int = 0,
) -> Agreement:
    counts = confusion_matrix(first, second, categories)
    n, alike = int(counts.sum()), int(np.trace(counts))
    return Agreement(
        categories=tuple(categories),
        counts=tuple(tuple(row) for row in counts.tolist()),
        n=n,
        observed=_share(alike, n, confidence),
        kappa=_drawn(cohen_kappa, counts, confidence, seed),
    )


def binary_scores(counts: ArrayLike, confidence: float = 0.95, seed: int = 0) -> Scores:
    """From a confusion matrix [[true NO, false YES], [missed, true YES]] (truth in rows)."""
    table = _table(counts)
    if table.shape != (2, 2):
        raise ConfidenceError("precision and recall need a matrix of two classes")
    (true_no, false_yes), (missed, true_yes) = table.tolist()
    return Scores(
        precision=_share(true_yes, true_yes + false_yes, confidence),
        recall=_share(true_yes, true_yes + missed, confidence),
        f1=_drawn(f1_score, table, confidence, seed),
        accuracy=_share(true_yes + true_no, int(table.sum()), confidence),
    )


def cohen_kappa(counts: ArrayLike) -> NDArray[np.float64]:
    """Of one confusion matrix or many (..., k, k); NaN where both judges used one same word."""
    table = np.asarray(counts, dtype=np.float64)
    total = table.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = np.trace(table, axis1=-2, axis2=-1) / total
        by_chance = np.sum(table.sum(axis=-1) * table.sum(axis=-2), axis=-1) / total**2
        return np.where(by_chance < 1.0, (alike - by_chance) / (1.0 - by_chance), np.nan)


def f1_score(counts: ArrayLike) -> NDArray[np.float64]:
    """Of one 2 x 2 matrix or many; NaN where nothing is real and nothing was called so."""
    table = np.asarray(counts, dtype=np.float64)
    right = 2.0 * table[..., 1, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return right / (right + table[..., 0, 1] + table[..., 1, 0])


def _drawn(statistic: Statistic, counts: Counts, confidence: float, seed: int) -> Estimate:
    """The interval from a smoothed bootstrap: matrices are drawn as likely as the one found makes
    them, with one more candidate spread evenly over its cells. Without that, ten of ten alike
    would be given an interval of no width."""
    n, tail = int(counts.sum()), 0.5 * (1.0 - level(confidence))
    value = float(statistic(counts.astype(np.float64)))
    if n == 0 or math.isnan(value):
        return Estimate(None, float("nan"), float("nan"))
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(counts.ravel() + 1.0 / counts.size, size=DRAWS)
    drawn = statistic(shares.reshape(DRAWS, *counts.shape))
    low, high = np.quantile(drawn, [tail, 1.0 - tail])
    return Estimate(value, min(float(low), value), max(float(high), value))


def _share(hits: int, n: int, confidence: float) -> Estimate:
    return Estimate(hits / n if n else None, *wilson(hits, n, confidence))


def _table(counts: ArrayLike) -> Counts:
    table = np.asarray(counts)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.dtype.kind not in "iu":
        raise ConfidenceError("a confusion matrix is a square of counts")
    if np.any(table < 0):
        raise ConfidenceError("a confusion matrix holds no negative counts")
    return table.astype(np.int64)
