"""How far a stored number may be from the true one: no further than its type rounds."""

from __future__ import annotations

import numpy as np
from gguf import GGMLQuantizationType as Type

from agent.convert.checkpoint import Weights

BLOCK = 32
"""Numbers per scale in Q8_0."""
COARSE = 0.3
"""Of a row's root mean square, for types of 4 to 6 bits: random rows have 0.02 to 0.09."""


def is_within_rounding(expected: Weights, actual: Weights, kept: Type) -> bool:
    """Whether every number differs by no more than the rounding of its type.

    Types of 4 to 6 bits share their scales in ways that bound no single number: there it is the
    root mean square of each row.
    """
    if expected.shape != actual.shape:
        return False
    away = np.abs(expected - actual)
    if kept is Type.F32:
        return bool(away.max() == 0.0)
    if kept is Type.F16:  # half a unit of the last of 11 bits, or of the smallest number
        return bool((away <= np.abs(expected) * 2.0**-11 + 2.0**-25).all())
    if kept is not Type.Q8_0:
        return bool((_rms(away) <= COARSE * _rms(expected)).all())
    blocks = np.abs(expected).reshape(-1, BLOCK)
    step = blocks.max(axis=1, keepdims=True) / 127.0
    # Half a step, plus the rounding of the step itself to float16.
    allowed = step * 0.51 + blocks * 2.0**-11 + 127.0 * 2.0**-25
    return bool((away.reshape(-1, BLOCK) <= allowed).all())


def _rms(rows: Weights) -> Weights:
    return np.sqrt(np.mean(np.square(rows, dtype=np.float32), axis=-1))
