"""llama.cpp's own quantiser, called on a few rows at a time: no tensor is whole in memory.

`llama_model_quantize` would need the whole model as a file of float16 first. Both packages of
llama.cpp have the function below it: llama-cpp-python, and xllamacpp, which needs no compiler.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type
from numpy.typing import NDArray

from agent.convert.checkpoint import Weights
from agent.convert.errors import ConversionError

FUNCTION = "ggml_quantize_chunk"
BY_LLAMA_CPP = frozenset({Type.Q4_K, Type.Q5_K, Type.Q6_K})
"""Types that the gguf package cannot write; for the others it writes the same bytes."""
NOT_HERE = (
    "Q4_K_M and Q5_K_M need llama.cpp's quantiser, which neither llama-cpp-python nor xllamacpp "
    'has here: pip install "spec-o3-workbench[gguf]", or convert to q8_0'
)


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
        function.argtypes = [
            ctypes.c_int,
            ctypes.c_void_p,
            ctypes.c_void_p,
            *[ctypes.c_int64] * 3,
            ctypes.c_void_p,
        ]
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
