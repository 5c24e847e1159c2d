"""Writes a GGUF file a few rows at a time, goes on where it was interrupted, and checks the result.

The places of all tensors are known before the first is written: the length of an unfinished file
says how many of them it has.
"""

import math
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type
from numpy.typing import NDArray

from agent.convert.checkpoint import ConversionError, StoredTensor, Weights
from agent.convert.metadata import Metadata, Value
from agent.convert.quantizer import quantized, tensor_types
from agent.convert.targets import PIECE, TensorTarget, pieces

F16_LARGEST = 65504.0
ALIGNMENT = gguf.GGUF_DEFAULT_ALIGNMENT
OnNumbers = Callable[[int], None]
"""Called with the count of numbers that were written since the last call."""

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

BLOCK = 32  # numbers per scale in Q8_0
COARSE = 0.3
"""Of a row's root mean square, for types of 4 to 6 bits: random rows have 0.02 to 0.09."""


@dataclass(frozen=True)
class Contents:
    """What will be written to a GGUF file; `stored` is where each tensor is read from."""

    metadata: Metadata
    targets: Sequence[TensorTarget]
    stored: Mapping[str, StoredTensor]
    file_type: str

    @property
    def numbers(self) -> int:
        return sum(math.prod(target.shape) for target in self.targets)

    @property
    def data_bytes(self) -> int:
        """The size of the file without its header."""
        types = tensor_types(self.targets, self.file_type)
        return sum(_padded(tensor_bytes(each, types[each.name])) for each in self.targets)


def write_gguf(
    path: Path, contents: Contents, on_numbers: OnNumbers = lambda count: None, threads: int = 1
) -> None:
    """Write the file, or the rest of it if `path` has its beginning."""
    types = tensor_types(contents.targets, contents.file_type)
    header = _header(path, contents, types)
    with _opened(path, header) as file, ThreadPoolExecutor(threads) as pool:
        end, size = len(header), file.seek(0, os.SEEK_END)
        for target in contents.targets:
            begin, kept = end, types[target.name]
            end = begin + _padded(tensor_bytes(target, kept))
            if size >= end:
                on_numbers(math.prod(target.shape))
                continue
            file.truncate(begin)
            file.seek(begin)
            source = contents.stored[target.source]
            block, block_bytes = gguf.GGML_QUANT_SIZES[kept]
            for data in _encoded_pieces(pool, threads, target, source, kept):
                file.write(data.data)
                on_numbers(data.nbytes // block_bytes * block)
            file.write(bytes(end - file.tell()))
        file.flush()
        os.fsync(file.fileno())


def tensor_bytes(target: TensorTarget, kept: Type) -> int:
    block, size = gguf.GGML_QUANT_SIZES[kept]
    return math.prod(target.shape) // block * int(size)


def encoded(weights: Weights, kept: Type, name: str) -> NDArray[Any]:
    """The bytes to write; raises ConversionError for numbers that the type cannot hold."""
    if not np.isfinite(weights).all():
        raise ConversionError(f"{name} has numbers that are not finite: the training diverged")
    if kept is not Type.F32 and np.abs(weights).max() > F16_LARGEST:
        raise ConversionError(f"{name} has numbers too large for float16: only f32 holds them")
    weights = np.ascontiguousarray(weights)
    if kept is Type.F32:
        return weights
    if kept is Type.F16:
        return weights.astype(np.float16)
    return quantized(weights, kept)


def check_gguf(path: Path, contents: Contents, on_numbers: OnNumbers = lambda count: None) -> None:
    """Read the file back; raises ConversionError if any key or number differs."""
    reader = gguf.GGUFReader(path)
    for key, value in contents.metadata.items():
        field = reader.get_field(key)
        if field is None or not _same(field, value):
            raise ConversionError(f"{path.name} was written incorrectly: {key} differs")
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    targets = contents.targets
    if set(tensors) != {target.name for target in targets} or len(reader.tensors) != len(targets):
        raise ConversionError(f"{path.name} was written incorrectly: it has other tensors")
    types = tensor_types(targets, contents.file_type)
    for target in targets:
        tensor, kept = tensors[target.name], types[target.name]
        if tensor.tensor_type is not kept or tuple(tensor.shape.tolist()) != target.shape[::-1]:
            raise ConversionError(
                f"{path.name} was written incorrectly: {target.name} has another form"
            )
        for start, stop in pieces(target.shape, PIECE):
            expected = target.read_rows(contents.stored[target.source], start, stop)
            actual = _read_rows(path, tensor.data_offset, target, kept, start, stop)
            if not is_within_rounding(expected, actual, kept):
                raise ConversionError(f"{path.name} was written incorrectly: {target.name} differs")
            on_numbers(expected.size)


def _header(path: Path, contents: Contents, types: Mapping[str, Type]) -> bytes:
    """Everything before the first tensor, from the gguf package."""
    scratch = path.with_name(f"{path.name}.header")
    writer = gguf.GGUFWriter(scratch, contents.metadata["general.architecture"].value)
    try:
        for key, value in contents.metadata.items():
            if key != "general.architecture":  # the writer adds it itself
                kind, items = _KINDS[value.kind]
                writer.add_key_value(key, value.value, kind, items)
        for target in contents.targets:
            kept = types[target.name]
            size = tensor_bytes(target, kept)
            writer.add_tensor_info(target.name, target.shape, np.dtype(np.float32), size, kept)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_ti_data_to_file()
        writer.close()
        header = scratch.read_bytes()
    finally:
        writer.close()
        scratch.unlink(missing_ok=True)
    return header + bytes(_padded(len(header)) - len(header))


def _opened(path: Path, header: bytes) -> BinaryIO:
    """Open the file behind its header, which is written if it has another or none."""
    file = path.open("r+b" if path.is_file() else "w+b")
    if file.read(len(header)) != header:
        file.seek(0)
        file.truncate()
        file.write(header)
    return file


def _encoded_pieces(
    pool: ThreadPoolExecutor, threads: int, target: TensorTarget, source: StoredTensor, kept: Type
) -> Iterator[NDArray[Any]]:
    """The tensor's bytes in order, with one piece for each thread in memory."""

    def encode(start: int, stop: int) -> NDArray[Any]:
        return encoded(target.read_rows(source, start, stop), kept, target.name)

    waiting: deque[Future[NDArray[Any]]] = deque()
    for rows in pieces(target.shape, PIECE):
        if len(waiting) == threads:
            yield waiting.popleft().result()
        waiting.append(pool.submit(encode, *rows))
    while waiting:
        yield waiting.popleft().result()


def _read_rows(
    path: Path, offset: int, target: TensorTarget, kept: Type, start: int, stop: int
) -> Weights:
    block, size = gguf.GGML_QUANT_SIZES[kept]
    shape = (stop - start, *target.shape[1:])
    skipped = math.prod((start, *target.shape[1:])) // block * size
    count = math.prod(shape) // block * size
    raw = np.fromfile(path, dtype=np.uint8, count=count, offset=int(offset) + skipped)
    if kept in (Type.F32, Type.F16):
        numbers = raw.view("<f4" if kept is Type.F32 else "<f2")
        return numbers.astype(np.float32, copy=False).reshape(shape)
    return gguf.quants.dequantize(raw.reshape(stop - start, -1), kept)


def _padded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _same(field: Any, value: Value) -> bool:
    kind, items = _KINDS[value.kind]
    if field.types != ([kind] if items is None else [kind, items]):
        return False
    expected = value.value
    if value.kind in ("f32", "f32s"):
        expected = np.asarray(expected, dtype=np.float32).tolist()
    return bool(field.contents() == expected)


def is_within_rounding(expected: Weights, actual: Weights, kept: Type) -> bool:
    """Whether every number differs by no more than the rounding of its type.

    Types of 4 to 6 bits share their scales in ways that bound no single number: there it is the
    root mean square of each row.
    """
    if expected.shape != actual.shape:
        return False
    away = np.abs(expected - actual)
    if kept is Type.F32:
        return bool(away.max() == 0.0)
    if kept is Type.F16:  # half a unit of the last of 11 bits, or of the smallest number
        return bool((away <= np.abs(expected) * 2.0**-11 + 2.0**-25).all())
    if kept is not Type.Q8_0:
        return bool((_rms(away) <= COARSE * _rms(expected)).all())
    blocks = np.abs(expected).reshape(-1, BLOCK)
    step = blocks.max(axis=1, keepdims=True) / 127.0
    # Half a step, plus the rounding of the step itself to float16.
    allowed = step * 0.51 + blocks * 2.0**-11 + 127.0 * 2.0**-25
    return bool((away.reshape(-1, BLOCK) <= allowed).all())


def _rms(rows: Weights) -> Weights:
    return np.sqrt(np.mean(np.square(rows, dtype=np.float32), axis=-1))
