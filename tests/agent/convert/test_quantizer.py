"""llama.cpp's quantiser is found in either package, and its absence is said."""

import ctypes
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import gguf
import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type

from agent.convert import quantizer
from agent.convert.checkpoint import ConversionError
from agent.convert.convert import plan_conversion, write_files
from agent.convert.gguf_file import is_within_rounding
from agent.convert.quantizer import quantize_chunk, quantized, tensor_types
from agent.convert.targets import TensorTarget
from tests.random_checkpoint import Widths, make_random_checkpoint

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


# The types and the bytes of every tensor are those of llama.cpp's own program.
FILE_TYPES = {"q8_0": 7, "q4_k_m": 15, "q5_k_m": 17}
"""llama.cpp's numbers."""


@pytest.fixture(scope="module", params=["tied", "untied", "odd"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    widths = {
        "tied": Widths(hidden=256),
        "untied": Widths(tied=False, layers=17, hidden=256, ffn=512),
        # rows of 160 fit no block of 256, rows of 200 none at all
        "odd": Widths(hidden=160, heads=5, kv_heads=1, ffn=200, layers=4),
    }[request.param]
    return make_random_checkpoint(tmp_path_factory.mktemp("random") / "model", widths)


@pytest.fixture(scope="module")
def float32(model: Path) -> Path:
    write_files(plan_conversion(model, "f32"), model.parent)
    return model.parent / "model-f32.gguf"


@pytest.mark.parametrize("kind", FILE_TYPES)
def test_the_same_bytes_as_llama_cpp(model: Path, float32: Path, tmp_path: Path, kind: str) -> None:
    llama = pytest.importorskip("llama_cpp.llama_cpp")
    parameters = llama.llama_model_quantize_default_params()
    parameters.ftype, parameters.nthread = FILE_TYPES[kind], 1
    paths = str(float32).encode(), str(tmp_path / "theirs.gguf").encode()
    code = llama.llama_model_quantize(*paths, ctypes.byref(parameters))
    assert code == 0
    write_files(plan_conversion(model, kind), tmp_path, threads=2)  # type: ignore[arg-type]
    readers = (gguf.GGUFReader(tmp_path / name) for name in (f"model-{kind}.gguf", "theirs.gguf"))
    ours, theirs = ({tensor.name: tensor for tensor in each.tensors} for each in readers)
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


# What a type rounds passes; anything further is noticed.
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
