"""Platt scaling: a straight line through the log odds, for tens to hundreds of candidates.

Platt (1999), fitted by Newton's method as in Lin, Lin and Weng (2007).
"""

from __future__ import annotations

import numpy as np

from agent.confidence.judged import ConfidenceError, JudgedScores, logit, sigmoid
from agent.spectra.spectrum import FloatArray

MAX_STEPS = 100
TOLERANCE = 1e-12
MIN_SPREAD = 1e-6  # log odds closer together than this differ by rounding only


def smoothed_targets(judged: JudgedScores) -> tuple[float, float]:
    """Platt's target values for NO and YES: a fit to n candidates is never surer than 1 in n."""
    return 1.0 / (judged.negatives + 2.0), (judged.positives + 1.0) / (judged.positives + 2.0)


def fit_platt(judged: JudgedScores) -> tuple[float, float]:
    """Slope and intercept in log odds; a slope below 1 means the inspector is overconfident."""
    x = logit(judged.p)
    centre, scale = float(x.mean()), float(x.std())
    if np.ptp(x) < MIN_SPREAD:
        raise ConfidenceError("every p(YES) is the same, so nothing can be calibrated")
    low, high = smoothed_targets(judged)
    target = np.where(judged.label, high, low)
    slope, intercept = _newton((x - centre) / scale, target)
    return slope / scale, intercept - slope * centre / scale


def _newton(x: FloatArray, target: FloatArray) -> tuple[float, float]:
    at = np.array([0.0, float(logit(target.mean()))])
    loss = _loss(at, x, target)
    for _ in range(MAX_STEPS):
        gradient, curvature = _derivatives(at, x, target)
        step = np.linalg.solve(curvature, gradient)
        gain = float(gradient @ step)  # twice the expected decrease of a full step
        if gain <= TOLERANCE:
            at = at - step
            break
        length, tried = 1.0, _loss(at - step, x, target)
        # Halved until the loss falls by a share of what the slope promises (Armijo), with the
        # share and the smallest length of Lin, Lin and Weng.
        while tried > loss - 1e-4 * length * gain and length > 1e-10:
            length *= 0.5
            tried = _loss(at - length * step, x, target)
        at, loss = at - length * step, tried
    return float(at[0]), float(at[1])


def _loss(at: FloatArray, x: FloatArray, target: FloatArray) -> float:
    log_odds = at[0] * x + at[1]
    return float(np.mean(np.logaddexp(0.0, log_odds) - target * log_odds))


def _derivatives(
    at: FloatArray, x: FloatArray, target: FloatArray
) -> tuple[FloatArray, FloatArray]:
    p = sigmoid(at[0] * x + at[1])
    error, bend = (p - target) / x.size, p * (1.0 - p) / x.size
    cross = float(bend @ x)
    curvature = np.array([[float(bend @ (x * x)), cross], [cross, float(np.sum(bend))]])
    ridge = 1e-12 * np.eye(2)  # the curvature vanishes where every p is 0 or 1
    return np.array([float(error @ x), float(np.sum(error))]), curvature + ridge
