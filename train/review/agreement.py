"""Rank correlation of two raters, and the strengths of those that were compared in pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agent.confidence.intervals import wilson
from agent.spectra.spectrum import FloatArray

Wins = Mapping[tuple[str, str], float]
"""How often the first was preferred to the second; a tie is half a win for each."""

MIN_PAIRS = 3
# Added to both sides of every compared pair, so that no strength becomes infinite.
PRIOR_WINS = 0.5
MAX_ITERATIONS, TOLERANCE = 1000, 1e-9


def spearman(first: ArrayLike, second: ArrayLike) -> float | None:
    """Spearman's rank correlation; None for too few pairs or no spread."""
    a, b = ranks(first), ranks(second)
    if a.size < MIN_PAIRS or a.size != b.size:
        return None
    a, b = a - a.mean(), b - b.mean()
    spread = math.sqrt(float(a @ a) * float(b @ b))
    return None if spread == 0 else float(a @ b) / spread


def ranks(values: ArrayLike) -> FloatArray:
    """Ranks from 1; equal values share their mean rank."""
    array = np.asarray(values, dtype=np.float64)
    _, inverse, counts = np.unique(array, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - 0.5 * (counts - 1))[inverse], dtype=np.float64)


def bradley_terry(wins: Wins) -> dict[str, float]:
    """Strengths that sum to 1; one is preferred to another with the probability a / (a + b)."""
    names = sorted({name for pair in wins for name in pair})
    if len(names) < 2:
        return dict.fromkeys(names, 1.0)
    met = np.zeros((len(names), len(names)))
    won = np.zeros(len(names))
    for i, j in combinations(range(len(names)), 2):
        wins_i, wins_j = (wins.get(pair, 0.0) for pair in _both_orders(names[i], names[j]))
        if wins_i + wins_j > 0:
            met[i, j] = met[j, i] = wins_i + wins_j + 2 * PRIOR_WINS
            won += PRIOR_WINS * _indicator(len(names), i, j)
            won[i], won[j] = won[i] + wins_i, won[j] + wins_j
    strength = np.full(len(names), 1.0 / len(names))
    for _ in range(MAX_ITERATIONS):
        weight = (met / (strength[:, None] + strength[None, :])).sum(axis=1)
        new = np.where(weight > 0, won / np.maximum(weight, 1e-300), strength)
        new /= new.sum()
        if np.abs(new - strength).max() < TOLERANCE:
            break
        strength = new
    return dict(zip(names, strength.tolist(), strict=True))


def preference(wins: Wins) -> dict[str, Any]:
    """For each pair how often the first was preferred, with its interval, and all strengths."""
    pairs = []
    for first, second in combinations(sorted({name for pair in wins for name in pair}), 2):
        won, lost = (wins.get(pair, 0.0) for pair in _both_orders(first, second))
        n = round(won + lost)
        if not n:
            continue
        low, high = wilson(min(math.floor(won), n), n)
        rate = {"first": first, "second": second, "n": n, "rate": won / n}
        pairs.append({**rate, "interval": [low, max(high, wilson(min(math.ceil(won), n), n)[1])]})
    return {"pairs": pairs, "strengths": bradley_terry(wins)}


def _both_orders(first: str, second: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (first, second), (second, first)


def _indicator(size: int, *indices: int) -> FloatArray:
    marks = np.zeros(size)
    marks[list(indices)] = 1.0
    return marks
