from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from agent.engines.base import SamplingSettings
from train.sft.finish import max_turn_tokens


def row(*turn_lengths: int) -> Any:
    parts = [part for length in turn_lengths for part in (0, *[1] * length)]
    return SimpleNamespace(encoded=SimpleNamespace(parts=np.array([*parts, 0], np.uint8)))


def test_a_turn_may_be_twice_as_long_as_the_longest_trained_one() -> None:
    assert max_turn_tokens([row(20, 50), row(80, 10)]) == 160
    assert max_turn_tokens([row(3)]) == 64
    assert max_turn_tokens([row(10**5)]) == SamplingSettings().max_new_tokens
