"""A straight line through the log odds, for tens to hundreds of judged candidates.

After Platt (1999), with the fitting of Lin, Lin and Weng (2007): Newton's steps on a convex loss.
"""

from __future__ import annotations

import numpy as np

from agent.confidence.judged import ConfidenceError, Floats, JudgedScores, logit, sigmoid

MAX_STEPS = 100
TOLERANCE = 1e-12
TELLS_APART = 1e-6
"""Log odds that differ by less are rounding."""


def smoothed_targets(judged: JudgedScores) -> tuple[float, float]:
    """What NO and YES count as: a rule learnt from n objects is never surer than about 1 in n,
    however many of the field each of them stands for."""
    yes = judged.prior * len(judged)
    no = len(judged) - yes
    return 1.0 / (no + 2.0), (yes + 1.0) / (yes + 2.0)


def fit_platt(judged: JudgedScores) -> tuple[float, float]:
    """Slope and intercept of calibrated against raw log odds. A slope below 1: overconfident."""
    x = logit(judged.p)
    weights = judged.weights
    centre = float(np.average(x, weights=weights))
    scale = float(np.sqrt(np.average((x - centre) ** 2, weights=weights)))
    if np.ptp(x) < TELLS_APART:
        raise ConfidenceError("every p(YES) is the same: there is nothing to calibrate")
    low, high = smoothed_targets(judged)
    target = np.where(judged.label, high, low)
    slope, intercept = _newton((x - centre) / scale, target, weights / weights.sum())
    return slope / scale, intercept - slope * centre / scale


def _newton(x: Floats, target: Floats, weights: Floats) -> tuple[float, float]:
    at = np.array([0.0, float(logit(weights @ target))])
    loss = _loss(at, x, target, weights)
    for _ in range(MAX_STEPS):
        gradient, curvature = _derivatives(at, x, target, weights)
        step = np.linalg.solve(curvature, gradient)
        gain = float(gradient @ step)  # twice what a full step should bring
        if gain <= TOLERANCE:
            at = at - step
            break
        length, tried = 1.0, _loss(at - step, x, target, weights)
        while tried > loss - 1e-4 * length * gain and length > 1e-10:
            length *= 0.5
            tried = _loss(at - length * step, x, target, weights)
        at, loss = at - length * step, tried
    return float(at[0]), float(at[1])


def _loss(at: Floats, x: Floats, target: Floats, weights: Floats) -> float:
    log_odds = at[0] * x + at[1]
    return float(weights @ (np.logaddexp(0.0, log_odds) - target * log_odds))


def _derivatives(at: Floats, x: Floats, target: Floats, weights: Floats) -> tuple[Floats, Floats]:
    p = sigmoid(at[0] * x + at[1])
    error, bend = weights * (p - target), weights * p * (1.0 - p)
    cross = float(bend @ x)
    curvature = np.array([[float(bend @ (x * x)), cross], [cross, float(np.sum(bend))]])
    ridge = 1e-12 * np.eye(2)  # where all is certain there is no curvature left to divide by
    return np.array([float(error @ x), float(np.sum(error))]), curvature + ridge
