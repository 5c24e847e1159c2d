"""llama.cpp's own quantiser, called on a few rows at a time: no tensor is whole in memory.

`llama_model_quantize` would need the whole model as a file of float16 first. Both packages of
llama.cpp have the function below it: llama-cpp-python, and xllamacpp, which needs no compiler.
"""

import ctypes
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Type
from numpy.typing import NDArray

from agent.convert.checkpoint import ConversionError, Weights
from agent.convert.targets import TensorTarget

FUNCTION = "ggml_quantize_chunk"
BY_LLAMA_CPP = frozenset({Type.Q4_K, Type.Q5_K, Type.Q6_K})
"""Types that the gguf package cannot write; for the others it writes the same bytes."""
NOT_HERE = (
    "Q4_K_M and Q5_K_M need llama.cpp's quantiser, which neither llama-cpp-python nor xllamacpp "
    'has here: pip install "spec-o3-workbench[gguf]", or convert to q8_0'
)

TYPES = {
    "f32": Type.F32, "f16": Type.F16, "q8_0": Type.Q8_0, "q5_k_m": Type.Q5_K, "q4_k_m": Type.Q4_K,
}  # fmt: skip
MIXED = ("q5_k_m", "q4_k_m")
# llama.cpp interpolates these with an operation that only takes float32.
ALWAYS_F32 = ("v.position_embd.weight",)
# For rows that are no multiple of the type's block
FALLBACKS = {
    Type.Q4_K: Type.Q5_0, Type.Q5_K: Type.Q5_1, Type.Q6_K: Type.Q8_0, Type.Q5_0: Type.F16,
    Type.Q5_1: Type.F16, Type.Q8_0: Type.F16,
}  # fmt: skip
_FINER = re.compile(r"blk\.(\d+)\.(attn_v|ffn_down)\.weight")


def quantized(rows: Weights, kind: Type) -> NDArray[np.uint8]:
    """The bytes of rows of finite numbers, whose length is a multiple of the type's block."""
    if kind not in BY_LLAMA_CPP:
        return gguf.quants.quantize(rows, kind)
    block, size = gguf.GGML_QUANT_SIZES[kind]
    count, width = rows.shape
    rows = np.ascontiguousarray(rows, dtype=np.float32)
    out = np.empty((count, width // block * size), dtype=np.uint8)
    written = quantize_chunk()(int(kind), rows.ctypes.data, out.ctypes.data, 0, count, width, None)
    if written != out.nbytes:
        raise ConversionError(f"llama.cpp wrote {written} bytes of {kind.name}, not {out.nbytes}")
    return out


@cache
def quantize_chunk() -> Any:
    """llama.cpp's function; raises ConversionError if no package here has it."""
    for path in _libraries():
        try:
            function = getattr(ctypes.CDLL(str(path)), FUNCTION)
        except (OSError, AttributeError):
            continue
        function.restype = ctypes.c_size_t
        pointer = ctypes.c_void_p
        function.argtypes = [ctypes.c_int, pointer, pointer, *[ctypes.c_int64] * 3, pointer]
        return function
    raise ConversionError(NOT_HERE)


def _libraries() -> Iterator[Path]:
    names = {"win32": "ggml-base.dll", "darwin": "libggml-base.dylib"}
    for package, pattern in (
        ("llama_cpp", f"lib/{names.get(sys.platform, 'libggml-base.so')}"),
        ("xllamacpp", "xllamacpp*.so"),
        ("xllamacpp", "xllamacpp*.pyd"),
    ):
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            yield from sorted(Path(spec.origin).parent.glob(pattern))


# The type that each tensor has in a file, by llama.cpp's own rules for Q4_K_M and Q5_K_M. Those
# names stand for mixtures: what hurts the answers most is kept in Q6_K. A test compares the files
# with those of `llama_model_quantize`, byte for byte.
def tensor_types(targets: Sequence[TensorTarget], file_type: str) -> dict[str, Type]:
    layers = sum(target.name.endswith(".ffn_down.weight") for target in targets)
    head = "output.weight"
    if all(target.name != head for target in targets):
        head = "token_embd.weight"  # they are one
    return {target.name: _type(target, file_type, layers, head) for target in targets}


def _type(target: TensorTarget, file_type: str, layers: int, head: str) -> Type:
    kept = TYPES[file_type]
    if len(target.shape) == 1 or target.name in ALWAYS_F32:
        return Type.F32
    if len(target.shape) != 2:
        return kept if kept is Type.F32 else Type.F16
    if file_type in MIXED and (target.name == head or _is_finer(target.name, layers)):
        kept = Type.Q6_K
    while target.shape[-1] % GGML_QUANT_SIZES[kept][0]:
        kept = FALLBACKS[kept]
    return kept


def _is_finer(name: str, layers: int) -> bool:
    """Whether it is such a matrix of the first or last eighth of layers, or each third between."""
    match = _FINER.fullmatch(name)
    if match is None:
        return False
    number, eighth = int(match[1]), layers // 8
    return number < eighth or number >= 7 * layers // 8 or (number - eighth) % 3 == 2
