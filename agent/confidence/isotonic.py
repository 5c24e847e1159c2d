"""The rising curve that fits best, for a thousand judged candidates or more."""

from __future__ import annotations

import numpy as np

from agent.confidence.judged import Floats, JudgedScores


def fit_isotonic(
    judged: JudgedScores, low: float = 0.0, high: float = 1.0
) -> tuple[Floats, Floats]:
    """Knots (p, calibrated p) of the curve that never falls, within `low` to `high`.

    Candidates of the same p count as one, with the share of true ones among them; neighbours out
    of order are pooled. Between knots the curve is straight, beyond them level.
    """
    from scipy.optimize import isotonic_regression

    x, group = np.unique(judged.p, return_inverse=True)
    weight = np.bincount(group, weights=judged.weights)
    share = np.bincount(group, weights=judged.weights * judged.label) / weight
    y = np.clip(isotonic_regression(share, weights=weight).x, low, high)
    kept = np.ones(x.size, dtype=bool)
    kept[1:-1] = (y[1:-1] != y[:-2]) | (y[1:-1] != y[2:])  # inside a level stretch: not needed
    return x[kept], y[kept]
