"""Judged candidates sampled from a known distribution."""

from __future__ import annotations

import numpy as np

from agent.confidence.judged import JudgedScores, sigmoid


def sample_judged(
    rng: np.random.Generator,
    n: int,
    prior: float = 1 / 6,
    apart: float = 3.0,
    stretch: float = 1.0,
    decimals: int | None = None,
) -> JudgedScores:
    """Two unit Gaussians `apart` sigma from each other; p(YES) is calibrated for `stretch` 1 and
    overconfident above. Rounding to `decimals` makes ties."""
    label = rng.random(n) < prior
    score = rng.normal(size=n) + apart * label
    log_odds = np.log(prior / (1.0 - prior)) + apart * (score - 0.5 * apart)
    p = sigmoid(stretch * log_odds)
    return JudgedScores(p if decimals is None else np.round(p, decimals), label)
