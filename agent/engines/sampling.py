"""From logits to the next token: greedy, or drawn with a temperature from the likeliest few."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agent.engines.base import SamplingSettings
from agent.errors import EngineError

Logits = NDArray[np.float32]


def seeded(seed: int) -> np.random.Generator:
    """Any integer is a seed."""
    return np.random.default_rng(seed % 2**64)


def choose(logits: Logits, sampling: SamplingSettings, randomness: np.random.Generator) -> int:
    """The next token; logits of -inf are never chosen."""
    best = int(logits.argmax())
    if not np.isfinite(logits[best]):
        raise EngineError("the model computed no usable numbers; try another precision (dtype)")
    if sampling.temperature == 0.0:
        return best
    odds = np.exp((logits.astype(np.float64) - float(logits[best])) / sampling.temperature)
    odds /= odds.sum()
    if sampling.top_p < 1.0:
        return _from_nucleus(odds, sampling.top_p, randomness)
    return _drawn(odds, randomness)


def _from_nucleus(odds: NDArray[np.float64], top_p: float, randomness: np.random.Generator) -> int:
    """Among the likeliest tokens that together reach `top_p`."""
    # All tokens below this bound hold less than 1 - top_p together: no need to sort them.
    likely = np.flatnonzero(odds >= (1.0 - top_p) / len(odds))
    likely = likely[np.argsort(-odds[likely], kind="stable")]
    count = int(np.searchsorted(np.cumsum(odds[likely]), top_p)) + 1
    nucleus = likely[:count]
    return int(nucleus[_drawn(odds[nucleus], randomness)])


def _drawn(odds: NDArray[np.float64], randomness: np.random.Generator) -> int:
    steps = np.cumsum(odds)
    place = np.searchsorted(steps, randomness.random() * steps[-1], side="right")
    return int(min(place, len(odds) - 1))


def log_softmax(logits: Logits) -> NDArray[np.float64]:
    """Natural log-probabilities over the last axis."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
