"""Confidence limits of a binomial proportion."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from agent.confidence.judged import ConfidenceError
from agent.spectra.spectrum import FloatArray


def wilson(hits: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Two-sided Wilson score interval; it is not empty at 0 of 5 or 5 of 5."""
    _check(hits, n)
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

    _check(hits, n)
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


def _check(hits: int, n: int) -> None:
    if not 0 <= hits <= n:
        raise ConfidenceError(f"{hits} of {n} is not a valid proportion")
