"""How far a share found in a few objects may be from the true one."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agent.confidence.judged import ConfidenceError

Interval = tuple[float, float]


def wilson(hits: int, n: int, confidence: float = 0.95) -> Interval:
    """Both limits of a share, Wilson's way: sensible at 0 of 5 and 5 of 5 too."""
    _check(hits, n)
    if n == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + 0.5 * level(confidence))
    share, widen = hits / n, z * z / n
    centre = (share + 0.5 * widen) / (1.0 + widen)
    half = z * math.sqrt(share * (1.0 - share) / n + 0.25 * widen / n) / (1.0 + widen)
    low = 0.0 if hits == 0 else max(0.0, centre - half)
    high = 1.0 if hits == n else min(1.0, centre + half)
    return low, high


def at_least(hits: int, n: int, delta: float) -> float:
    """The true share is this or more, except in `delta` of all samples (Clopper-Pearson)."""
    from scipy.special import betaincinv

    _check(hits, n)
    if hits == 0:
        return 0.0
    return float(betaincinv(hits, n - hits + 1, level(delta, "delta")))


def at_most(hits: int, n: int, delta: float) -> float:
    """The true share is this or less, except in `delta` of all samples (Clopper-Pearson)."""
    return 1.0 - at_least(n - hits, n, delta) if n else 1.0


def chance_of_so_few(mistakes: ArrayLike, n: ArrayLike, share: float) -> NDArray[np.float64]:
    """That at most so many of n are wrong where `share` of all are right: the binomial's tail, by
    the incomplete beta function, for scipy's own takes no n of more than 31 bits."""
    from scipy.special import betainc

    wrong, right = np.asarray(mistakes), np.subtract(n, mistakes)
    tail = betainc(np.maximum(right, 1), wrong + 1, share)
    return np.where(right > 0, tail, 1.0)


def level(value: float, name: str = "confidence") -> float:
    if not 0.0 < value < 1.0:
        raise ConfidenceError(f"a {name} of {value} is not usable: it must lie between 0 and 1")
    return float(value)


def _check(hits: int, n: int) -> None:
    if not 0 <= hits <= n:
        raise ConfidenceError(f"{hits} of {n} is no share")
