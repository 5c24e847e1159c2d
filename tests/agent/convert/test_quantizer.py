"""llama.cpp's quantiser is found in either package, and its absence is said."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type

from agent.convert import quantizer
from agent.convert.errors import ConversionError
from agent.convert.quantizer import quantize_chunk, quantized


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    quantize_chunk.cache_clear()
    yield
    quantize_chunk.cache_clear()


def only(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = quantizer.find_spec
    monkeypatch.setattr(
        quantizer, "find_spec", lambda name: find_spec(name) if name == package else None
    )


@pytest.mark.parametrize("kind", [Type.Q4_K, Type.Q5_K, Type.Q6_K])
def test_both_packages_give_the_same_bytes(kind: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).normal(0, 0.02, (5, 512)).astype(np.float32)
    made = []
    for package in ("llama_cpp", "xllamacpp"):
        pytest.importorskip(package)
        with monkeypatch.context() as patch:
            only(package, patch)
            quantize_chunk.cache_clear()
            made.append(quantized(rows, kind))
    assert np.array_equal(*made)
    assert made[0].shape[0] == 5


def test_without_llama_cpp_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    only("neither", monkeypatch)
    rows = np.ones((1, 256), dtype=np.float32)
    with pytest.raises(ConversionError, match="neither llama-cpp-python nor xllamacpp"):
        quantized(rows, Type.Q4_K)
    assert quantized(rows, Type.Q8_0).size == 256 // 32 * 34, "Q8_0 needs neither"


def test_a_library_without_the_function_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quantizer, "FUNCTION", "no_such_function")
    with pytest.raises(ConversionError, match="convert to q8_0"):
        quantize_chunk()
