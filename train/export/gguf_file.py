"""Writes a GGUF file tensor by tensor, then reads it back and checks it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type
from numpy.typing import NDArray

from train.export.checkpoint import StoredTensor, Weights
from train.export.metadata import Metadata, Value
from train.export.targets import TensorTarget
from train.models.errors import ExportError

TYPES = {"f32": Type.F32, "f16": Type.F16, "q8_0": Type.Q8_0}
BLOCK = 32
"""Numbers per scale in Q8_0."""
F16_LARGEST = 65504.0
# llama.cpp interpolates these with an operation that only takes float32.
ALWAYS_F32 = ("v.position_embd.weight",)

_KINDS: dict[str, tuple[gguf.GGUFValueType, gguf.GGUFValueType | None]] = {
    "u32": (gguf.GGUFValueType.UINT32, None),
    "f32": (gguf.GGUFValueType.FLOAT32, None),
    "bool": (gguf.GGUFValueType.BOOL, None),
    "text": (gguf.GGUFValueType.STRING, None),
    "i32s": (gguf.GGUFValueType.ARRAY, gguf.GGUFValueType.INT32),
    "f32s": (gguf.GGUFValueType.ARRAY, gguf.GGUFValueType.FLOAT32),
    "bools": (gguf.GGUFValueType.ARRAY, gguf.GGUFValueType.BOOL),
    "texts": (gguf.GGUFValueType.ARRAY, gguf.GGUFValueType.STRING),
}


def stored_type(target: TensorTarget, file_type: str) -> Type:
    """The type of a tensor: float32 for vectors, float16 for rows that no Q8_0 block fits."""
    wanted = TYPES[file_type]
    if len(target.shape) == 1 or target.name in ALWAYS_F32:
        return Type.F32
    if wanted is Type.Q8_0 and (len(target.shape) != 2 or target.shape[-1] % BLOCK):
        return Type.F16
    return wanted


def write_gguf(
    path: Path,
    metadata: Metadata,
    targets: Sequence[TensorTarget],
    stored: Mapping[str, StoredTensor],
    file_type: str,
) -> None:
    """Write the file, with one tensor at a time in memory."""
    writer = gguf.GGUFWriter(path, metadata["general.architecture"].value)
    try:
        for key, value in metadata.items():
            if key != "general.architecture":  # the writer adds it itself
                kind, items = _KINDS[value.kind]
                writer.add_key_value(key, value.value, kind, items)
        for target in targets:
            kept = stored_type(target, file_type)
            size = _bytes_of(target, kept)
            writer.add_tensor_info(target.name, target.shape, np.dtype(np.float32), size, kept)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_ti_data_to_file()
        for target in targets:
            weights = target.of(stored[target.source].read())
            writer.write_tensor_data(encoded(weights, stored_type(target, file_type), target.name))
    finally:
        writer.close()


def _bytes_of(target: TensorTarget, kept: Type) -> int:
    block, size = gguf.GGML_QUANT_SIZES[kept]
    return math.prod(target.shape) // block * size


def encoded(weights: Weights, kept: Type, name: str) -> NDArray[Any]:
    """The bytes to write; raises ExportError for numbers that the type cannot hold."""
    if not np.isfinite(weights).all():
        raise ExportError(f"{name} has numbers that are not finite: the training diverged")
    if kept is not Type.F32 and np.abs(weights).max() > F16_LARGEST:
        raise ExportError(f"{name} has numbers too large for float16: export with --type f32")
    weights = np.ascontiguousarray(weights)
    if kept is Type.F32:
        return weights
    if kept is Type.F16:
        return weights.astype(np.float16)
    return gguf.quants.quantize(weights, kept)


def check_gguf(
    path: Path,
    metadata: Metadata,
    targets: Sequence[TensorTarget],
    stored: Mapping[str, StoredTensor],
    file_type: str,
) -> None:
    """Read the file back; raises ExportError if any key or number differs."""
    reader = gguf.GGUFReader(path)
    for key, value in metadata.items():
        field = reader.get_field(key)
        if field is None or not _same(field, value):
            raise ExportError(f"{path.name} was written incorrectly: {key} differs")
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    if set(tensors) != {target.name for target in targets} or len(reader.tensors) != len(targets):
        raise ExportError(f"{path.name} was written incorrectly: it has other tensors")
    for target in targets:
        tensor = tensors[target.name]
        kept = stored_type(target, file_type)
        if tensor.tensor_type is not kept or tuple(tensor.shape.tolist()) != target.shape[::-1]:
            raise ExportError(
                f"{path.name} was written incorrectly: {target.name} has another form"
            )
        expected = target.of(stored[target.source].read())
        if not _within_rounding(expected, gguf.quants.dequantize(tensor.data, kept), kept):
            raise ExportError(f"{path.name} was written incorrectly: {target.name} differs")


def _same(field: Any, value: Value) -> bool:
    kind, items = _KINDS[value.kind]
    if field.types != ([kind] if items is None else [kind, items]):
        return False
    expected = value.value
    if value.kind in ("f32", "f32s"):
        expected = np.asarray(expected, dtype=np.float32).tolist()
    return bool(field.contents() == expected)


def _within_rounding(expected: Weights, actual: Weights, kept: Type) -> bool:
    """Whether every number differs by no more than the rounding of its type."""
    if expected.shape != actual.shape:
        return False
    away = np.abs(expected - actual)
    if kept is Type.F32:
        return bool(away.max() == 0.0)
    if kept is Type.F16:  # half a unit of the last of 11 bits, or of the smallest number
        return bool((away <= np.abs(expected) * 2.0**-11 + 2.0**-25).all())
    blocks = np.abs(expected).reshape(-1, BLOCK)
    step = blocks.max(axis=1, keepdims=True) / 127.0
    # Half a step, plus the rounding of the step itself to float16.
    allowed = step * 0.51 + blocks * 2.0**-11 + 127.0 * 2.0**-25
    return bool((away.reshape(-1, BLOCK) <= allowed).all())
