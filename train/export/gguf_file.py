"""Writing one GGUF file tensor by tensor, and reading it back against what should be in it."""

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
"""Numbers that share one scale in Q8_0."""
F16_LARGEST = 65504.0
ALWAYS_F32 = ("v.position_embd.weight",)
"""llama.cpp stretches these with an operation that takes float32 alone."""

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
    """How a tensor is kept: vectors in full, rows that no block fits in float16."""
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
    """Write the file; one tensor at a time is in memory."""
    writer = gguf.GGUFWriter(path, metadata["general.architecture"].value)
    try:
        for key, value in metadata.items():
            if key != "general.architecture":  # the writer has put that in
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
    """The bytes to write, refusing numbers the type cannot hold."""
    if not np.isfinite(weights).all():
        raise ExportError(f"{name} holds numbers that are not finite: the training went astray")
    if kept is not Type.F32 and np.abs(weights).max() > F16_LARGEST:
        raise ExportError(f"{name} holds numbers too large for float16: export with --type f32")
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
    """Read the file again; raises ExportError unless every key and number is what was meant."""
    reader = gguf.GGUFReader(path)
    for key, value in metadata.items():
        field = reader.get_field(key)
        if field is None or not _same(field, value):
            raise ExportError(f"{path.name} was not written rightly: {key} differs")
    found = {tensor.name: tensor for tensor in reader.tensors}
    if set(found) != {target.name for target in targets} or len(reader.tensors) != len(targets):
        raise ExportError(f"{path.name} was not written rightly: its tensors are not those wanted")
    for target in targets:
        tensor = found[target.name]
        kept = stored_type(target, file_type)
        if tensor.tensor_type is not kept or tuple(tensor.shape.tolist()) != target.shape[::-1]:
            raise ExportError(f"{path.name} was not written rightly: {target.name} differs in form")
        meant = target.of(stored[target.source].read())
        if not _within_rounding(meant, gguf.quants.dequantize(tensor.data, kept), kept):
            raise ExportError(f"{path.name} was not written rightly: {target.name} differs")


def _same(field: Any, value: Value) -> bool:
    kind, items = _KINDS[value.kind]
    if field.types != ([kind] if items is None else [kind, items]):
        return False
    meant = value.value
    if value.kind in ("f32", "f32s"):
        meant = np.asarray(meant, dtype=np.float32).tolist()
    return bool(field.contents() == meant)


def _within_rounding(meant: Weights, found: Weights, kept: Type) -> bool:
    """Whether every number is the nearest its type has."""
    if meant.shape != found.shape:
        return False
    away = np.abs(meant - found)
    if kept is Type.F32:
        return bool(away.max() == 0.0)
    if kept is Type.F16:  # half of the last of 11 bits, or of the smallest number there is
        return bool((away <= np.abs(meant) * 2.0**-11 + 2.0**-25).all())
    blocks = np.abs(meant).reshape(-1, BLOCK)
    step = blocks.max(axis=1, keepdims=True) / 127.0
    # half a step, and the step itself rounded to float16
    allowed = step * 0.51 + blocks * 2.0**-11 + 127.0 * 2.0**-25
    return bool((away.reshape(-1, BLOCK) <= allowed).all())
