"""Fleiss' kappa: agreement between several judges, not all of whom judged everything."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.confidence.intervals import checked_fraction
from agent.confidence.judged import ConfidenceError
from agent.confidence.scores import DRAWS, MAX_CATEGORIES, Estimate
from agent.spectra.spectrum import FloatArray

Pattern = tuple[int, ...]
"""Verdicts on one candidate, counted per category."""

MAX_BATCH = 2_000_000  # random numbers drawn at once, to bound the memory


@dataclass(frozen=True)
class FleissKappa:
    """Agreement of several judges on candidates that two or more of them judged."""

    categories: tuple[Hashable, ...]
    n: int
    """Number of candidates."""
    verdicts: int
    """Number of verdicts on them, by all judges."""
    observed: Estimate
    """Fraction of agreeing pairs of judges, averaged over candidates."""
    kappa: Estimate


def fleiss_agreement(
    patterns: Mapping[Pattern, int],
    categories: Sequence[Hashable],
    confidence: float = 0.95,
    seed: int = 0,
) -> FleissKappa:
    """Fleiss' kappa from the number of candidates with each pattern of verdicts.

    Candidates with fewer than two verdicts are left out. Fleiss (1971) has equally many judges for
    every candidate; where the numbers differ, each candidate counts equally in the observed
    agreement and each verdict equally in the agreement by chance.
    """
    counts, times = _table(patterns, len(categories))
    sums, samples = times @ _terms(counts), _bootstrap(counts, times, seed)
    confidence = checked_fraction(confidence, "confidence")
    return FleissKappa(
        categories=tuple(categories),
        n=int(times.sum()),
        verdicts=int(times @ counts.sum(axis=1)),
        observed=_estimate(_observed(sums), _observed(samples), confidence),
        kappa=_estimate(_kappa(sums), _kappa(samples), confidence),
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


def _estimate(value: FloatArray, samples: FloatArray, confidence: float) -> Estimate:
    number, tail = float(value), 0.5 * (1.0 - confidence)
    if np.isnan(number):
        return Estimate(None, float("nan"), float("nan"))
    low, high = np.nanquantile(samples, [tail, 1.0 - tail])
    return Estimate(number, min(float(low), number), max(float(high), number))


def _table(patterns: Mapping[Pattern, int], size: int) -> tuple[NDArray[np.int64], FloatArray]:
    """Patterns with two or more verdicts, sorted, and the number of candidates with each."""
    if not 1 <= size <= MAX_CATEGORIES:
        raise ConfidenceError(f"there must be 1 to {MAX_CATEGORIES} categories")
    if any(len(pattern) != size or min(pattern) < 0 for pattern in patterns):
        raise ConfidenceError("a pattern must have one count per category")
    if any(times < 0 for times in patterns.values()):
        raise ConfidenceError("a pattern cannot occur a negative number of times")
    kept = sorted(pattern for pattern, times in patterns.items() if sum(pattern) > 1 and times)
    counts = np.array(kept, dtype=np.int64).reshape(-1, size)
    return counts, np.array([patterns[pattern] for pattern in kept], dtype=np.float64)
