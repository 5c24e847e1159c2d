"""What a type rounds passes; anything further is noticed."""

from __future__ import annotations

import gguf
import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type

from agent.convert.gguf_file import is_within_rounding
from agent.convert.quantizer import quantized

KINDS = [Type.F32, Type.F16, Type.Q8_0, Type.Q6_K, Type.Q5_K, Type.Q4_K, Type.Q5_1, Type.Q5_0]


def stored(rows: np.ndarray, kind: Type) -> np.ndarray:
    if kind in (Type.F32, Type.F16):
        return rows.astype(np.float16 if kind is Type.F16 else np.float32).astype(np.float32)
    return gguf.quants.dequantize(quantized(rows, kind), kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spread", [1e-4, 0.02, 30.0])
def test_rounded_numbers_pass_and_others_do_not(kind: Type, spread: float) -> None:
    random = np.random.default_rng(0)
    rows = random.standard_t(4, (6, 512)).astype(np.float32) * np.float32(spread)
    rows[3] = 0.0
    kept = stored(rows, kind)
    assert is_within_rounding(rows, kept, kind)
    for change in (
        lambda numbers: np.roll(numbers, 1, axis=0),
        lambda numbers: np.where(np.arange(512) < 64, 0, numbers),
        lambda numbers: numbers + (np.arange(6) == 3)[:, None] * np.float32(spread),
        lambda numbers: np.where(np.arange(512) == 9, np.nan, numbers),
    ):
        assert not is_within_rounding(rows, change(kept).astype(np.float32), kind)
    assert not is_within_rounding(rows, kept[:3], kind)
