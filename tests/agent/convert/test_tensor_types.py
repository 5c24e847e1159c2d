"""The types and the bytes of every tensor are those of llama.cpp's own program."""

from __future__ import annotations

import ctypes
from pathlib import Path

import gguf
import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type

from agent.convert.convert import plan_conversion, write_files
from agent.convert.quantizer import tensor_types
from agent.convert.targets import TensorTarget
from tests.random_checkpoint import Widths, make_random_checkpoint

FILE_TYPES = {"q8_0": 7, "q4_k_m": 15, "q5_k_m": 17}
"""llama.cpp's numbers."""


def _quantize(source: Path, out: Path, kind: str) -> None:
    llama = pytest.importorskip("llama_cpp.llama_cpp")
    parameters = llama.llama_model_quantize_default_params()
    parameters.ftype, parameters.nthread = FILE_TYPES[kind], 1
    code = llama.llama_model_quantize(
        str(source).encode(), str(out).encode(), ctypes.byref(parameters)
    )
    assert code == 0


@pytest.fixture(scope="module", params=["tied", "untied", "odd"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    widths = {
        "tied": Widths(),
        "untied": Widths(tied=False, layers=17, hidden=256, ffn=512),
        # rows of 160 fit no block of 256, rows of 200 none at all
        "odd": Widths(hidden=160, heads=5, kv_heads=1, ffn=200, layers=4),
    }[request.param]
    return make_random_checkpoint(tmp_path_factory.mktemp("random") / "model", widths)


@pytest.mark.parametrize("kind", FILE_TYPES)
def test_the_same_bytes_as_llama_cpp(model: Path, tmp_path: Path, kind: str) -> None:
    write_files(plan_conversion(model, "f32"), tmp_path)
    _quantize(tmp_path / "model-f32.gguf", tmp_path / "theirs.gguf", kind)
    write_files(plan_conversion(model, kind), tmp_path, threads=2)  # type: ignore[arg-type]
    ours, theirs = (
        {tensor.name: tensor for tensor in gguf.GGUFReader(tmp_path / name).tensors}
        for name in (f"model-{kind}.gguf", "theirs.gguf")
    )
    assert set(ours) == set(theirs)
    for name, tensor in ours.items():
        assert tensor.tensor_type is theirs[name].tensor_type, name
        assert np.array_equal(tensor.data, theirs[name].data), name


def test_rows_no_block_fits_stay_float16() -> None:
    def kept(shape: tuple[int, ...], kind: str) -> Type:
        return tensor_types([TensorTarget("a", "a", shape)], kind)["a"]

    assert kept((8, 64), "q8_0") is Type.Q8_0
    assert kept((8, 50), "q8_0") is Type.F16
    assert kept((64,), "q8_0") is Type.F32
    assert kept((8, 3, 14, 14), "f16") is Type.F16
    assert kept((8, 96), "q4_k_m") is Type.Q5_0
    assert kept((8, 100), "q4_k_m") is Type.F16
