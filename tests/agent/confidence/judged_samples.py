"""Judged candidates sampled from a known distribution, and Fleiss' kappa by its definition."""

from collections.abc import Hashable, Sequence
from itertools import permutations

import numpy as np

from agent.confidence.judged import JudgedScores, sigmoid


def sample_judged(
    rng: np.random.Generator, n: int, prior: float = 1 / 6, apart: float = 3.0,
    stretch: float = 1.0, decimals: int | None = None,
) -> JudgedScores:  # fmt: skip
    """Two unit Gaussians `apart` sigma from each other; p(YES) is calibrated for `stretch` 1 and
    overconfident above. Rounding to `decimals` makes ties."""
    label = rng.random(n) < prior
    score = rng.normal(size=n) + apart * label
    log_odds = np.log(prior / (1.0 - prior)) + apart * (score - 0.5 * apart)
    p = sigmoid(stretch * log_odds)
    return JudgedScores(p if decimals is None else np.round(p, decimals), label)


def fleiss_by_definition(verdicts: Sequence[Sequence[Hashable]]) -> float:
    """Draw a candidate, then two of its verdicts: how often do they agree? And two of all?"""
    judged = [each for each in verdicts if len(each) > 1]
    equal = [np.mean([a == b for a, b in permutations(each, 2)]) for each in judged]
    every = [word for each in judged for word in each]
    chance = np.mean([a == b for a in every for b in every])
    return float((np.mean(equal) - chance) / (1 - chance))
