"""llama.cpp's quantiser is found in either package, and its absence is said."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type

from agent.convert import quantizer
from agent.convert.checkpoint import ConversionError
from agent.convert.quantizer import quantize_chunk, quantized

IN_XLLAMACPP = """
import sys
import numpy as np
from agent.convert import quantizer
find_spec = quantizer.find_spec
quantizer.find_spec = lambda name: find_spec(name) if name == "xllamacpp" else None
rows = np.random.default_rng(0).normal(0, 0.02, (5, 512)).astype(np.float32)
for kind in sys.argv[1:]:
    print(quantizer.quantized(rows, quantizer.Type(int(kind))).tobytes().hex())
"""


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


def test_both_packages_give_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).normal(0, 0.02, (5, 512)).astype(np.float32)
    if find_spec("llama_cpp") is None or find_spec("xllamacpp") is None:
        pytest.skip("both packages are needed")
    kinds = (Type.Q4_K, Type.Q5_K, Type.Q6_K)
    only("llama_cpp", monkeypatch)
    here = [quantized(rows, kind) for kind in kinds]
    assert {len(each) for each in here} == {5}
    # xllamacpp in a process of its own: its Cython may differ from that of what is loaded here.
    done = subprocess.run(
        [sys.executable, "-c", IN_XLLAMACPP, *(str(int(kind)) for kind in kinds)],
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    assert done.stdout.split() == [each.tobytes().hex() for each in here]


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
