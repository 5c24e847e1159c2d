"""Choose the next token from logits: greedy, or temperature and nucleus sampling."""

import numpy as np
from numpy.typing import NDArray

from agent.engines.base import SamplingSettings
from agent.errors import EngineError

Logits = NDArray[np.float32]


def seeded(seed: int) -> np.random.Generator:
    """Return a random generator; any integer is a valid seed."""
    return np.random.default_rng(seed % 2**64)


def choose(logits: Logits, sampling: SamplingSettings, randomness: np.random.Generator) -> int:
    """Return the next token; logits of -inf are never chosen."""
    best = int(logits.argmax())
    if not np.isfinite(logits[best]):
        raise EngineError("the model's logits are not finite; try another precision (dtype)")
    if sampling.temperature == 0.0:
        return best
    probabilities = np.exp((logits.astype(np.float64) - float(logits[best])) / sampling.temperature)
    probabilities /= probabilities.sum()
    if sampling.top_p < 1.0:
        # Sample among the likeliest tokens whose probabilities together reach `top_p`.
        # Tokens below this bound add up to less than 1 - top_p: no need to sort them.
        likely = np.flatnonzero(probabilities >= (1.0 - sampling.top_p) / len(probabilities))
        likely = likely[np.argsort(-probabilities[likely], kind="stable")]
        count = int(np.searchsorted(np.cumsum(probabilities[likely]), sampling.top_p)) + 1
        nucleus = likely[:count]
        return int(nucleus[_sample(probabilities[nucleus], randomness)])
    return _sample(probabilities, randomness)


def _sample(probabilities: NDArray[np.float64], randomness: np.random.Generator) -> int:
    cumulative = np.cumsum(probabilities)
    index = np.searchsorted(cumulative, randomness.random() * cumulative[-1], side="right")
    return int(min(index, len(probabilities) - 1))


def log_softmax(logits: Logits) -> NDArray[np.float64]:
    """Natural log-probabilities over the last axis."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
