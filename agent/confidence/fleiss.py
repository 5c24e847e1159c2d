"""How far several judges agree beyond chance, whoever of them judged what (Fleiss 1971)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agent.confidence.intervals import level
from agent.confidence.judged import ConfidenceError
from agent.confidence.scores import DRAWS, MAX_CATEGORIES, Estimate

Floats = NDArray[np.float64]
Pattern = tuple[int, ...]
"""How many judges put one candidate into each of the categories."""

AT_ONCE = 2_000_000
"""Numbers drawn in one go."""


@dataclass(frozen=True)
class FleissKappa:
    """Several judges over the same candidates, of which each was judged by two or more."""

    categories: tuple[Hashable, ...]
    n: int
    """Candidates."""
    verdicts: int
    """Of all judges on them."""
    observed: Estimate
    """The share of pairs of judges who said the same, on average over candidates."""
    kappa: Estimate
    """Fleiss': 0 is chance, 1 complete."""


def fleiss_agreement(
    patterns: Mapping[Pattern, int],
    categories: Sequence[Hashable],
    confidence: float = 0.95,
    seed: int = 0,
) -> FleissKappa:
    """From how often each pattern was found; candidates with fewer than two verdicts are left out.

    The interval is that of a smoothed bootstrap over candidates: each draw holds one more, judged
    at random, for complete agreement over ten is not yet certain.
    """
    counts, times = _table(patterns, len(categories))
    found, drawn = times @ _terms(counts), _drawn(counts, times, seed)
    return FleissKappa(
        categories=tuple(categories),
        n=int(times.sum()),
        verdicts=int(times @ counts.sum(axis=1)),
        observed=_figure(_observed(found), _observed(drawn), level(confidence)),
        kappa=_figure(_kappa(found), _kappa(drawn), level(confidence)),
    )


def fleiss_kappa(counts: ArrayLike) -> float:
    """Of one row a candidate, one column a category; NaN where all judges used one same word.

    With as many judges for every candidate it is Fleiss' own. Otherwise each candidate counts
    alike in what was agreed, and each verdict alike in what chance would do.
    """
    table = np.asarray(counts)
    if table.ndim != 2 or table.dtype.kind not in "iu" or np.any(table < 0):
        raise ConfidenceError("agreement of several judges needs a table of counts")
    kept = table[table.sum(axis=1) >= 2]
    return float(_kappa(_terms(kept).sum(axis=0)))


def _terms(counts: NDArray[np.int64]) -> Floats:
    """Of each candidate: what adds up to kappa. One, the share of its pairs that agree, and the
    verdicts in each category."""
    n = counts.sum(axis=1, dtype=np.float64)
    pairs = np.sum(counts * (counts - 1.0), axis=1) / (n * (n - 1.0))
    return np.column_stack([np.ones(len(counts)), pairs, counts])


def _kappa(sums: Floats) -> Floats:
    """From sums of `_terms`, of one draw or many (..., 2 + k)."""
    alike = _observed(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = sums[..., 2:] / sums[..., 2:].sum(axis=-1, keepdims=True)
        by_chance = np.sum(share**2, axis=-1)
        return np.where(by_chance < 1.0, (alike - by_chance) / (1.0 - by_chance), np.nan)


def _observed(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., 1] / sums[..., 0])


def _drawn(counts: NDArray[np.int64], times: Floats, seed: int) -> Floats:
    """Sums of `_terms` over candidates drawn as likely as they were found, and one at random."""
    if not len(counts):
        return np.empty((0, 2 + counts.shape[1]))
    rng = np.random.default_rng(seed)
    terms, size = _terms(counts), counts.shape[1]
    sums = np.empty((DRAWS, terms.shape[1]))
    step = max(1, AT_ONCE // len(counts))
    for start in range(0, DRAWS, step):
        rows = min(step, DRAWS - start)
        sums[start : start + rows] = rng.standard_gamma(times, size=(rows, len(times))) @ terms
    judges = round(float(times @ counts.sum(axis=1)) / float(times.sum()))
    anyone = _terms(rng.multinomial(judges, np.full(size, 1.0 / size), size=DRAWS))
    return sums + rng.standard_exponential((DRAWS, 1)) * anyone


def _figure(value: Floats, drawn: Floats, confidence: float) -> Estimate:
    found, tail = float(value), 0.5 * (1.0 - confidence)
    if np.isnan(found):
        return Estimate(None, float("nan"), float("nan"))
    low, high = np.nanquantile(drawn, [tail, 1.0 - tail])
    return Estimate(found, min(float(low), found), max(float(high), found))


def _table(patterns: Mapping[Pattern, int], size: int) -> tuple[NDArray[np.int64], Floats]:
    """Patterns of two verdicts or more, sorted, and how often each was found."""
    if not 1 <= size <= MAX_CATEGORIES:
        raise ConfidenceError(f"there are 1 to {MAX_CATEGORIES} categories")
    if any(len(pattern) != size or min(pattern) < 0 for pattern in patterns):
        raise ConfidenceError("a pattern holds one count for each category")
    if any(times < 0 for times in patterns.values()):
        raise ConfidenceError("no pattern is found less than never")
    kept = sorted(pattern for pattern, times in patterns.items() if sum(pattern) > 1 and times)
    counts = np.array(kept, dtype=np.int64).reshape(-1, size)
    return counts, np.array([patterns[pattern] for pattern in kept], dtype=np.float64)
