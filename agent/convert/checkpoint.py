"""Reads a transformers folder without torch: its JSON files, and its weights some rows at a time.

numpy has no bfloat16, so it is converted to float32 here.
"""

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.engines.families import weight_files
from agent.errors import EngineError, WorkbenchError, read_errors

Weights = NDArray[np.float32]

MAX_JSON = 256_000_000  # Bytes; the tokenizer of a large vocabulary has about 11 million.
MAX_HEADER = 100_000_000
STORED = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}


@dataclass(frozen=True)
class StoredTensor:
    """The location of a tensor in its file; `kind` is a key of STORED."""

    path: Path
    kind: str
    shape: tuple[int, ...]
    offset: int  # in bytes from the start of the file

    @property
    def row_size(self) -> int:
        """Numbers in one row, an entry of the first axis."""
        return math.prod(self.shape[1:])

    def read(self) -> Weights:
        return self.read_rows(0, self.shape[0])

    def read_rows(self, start: int, stop: int) -> Weights:
        shape = (stop - start, *self.shape[1:])
        kind = np.dtype(STORED[self.kind])
        offset = self.offset + start * self.row_size * kind.itemsize
        with read_errors(self.path, ConversionError):
            raw = np.fromfile(self.path, dtype=kind, count=math.prod(shape), offset=offset)
        if raw.size != math.prod(shape):
            raise ConversionError(f"{self.path.name} is cut off: fetch it again")
        if self.kind == "BF16":
            wide = raw.astype(np.uint32)
            wide <<= 16
            return wide.view(np.float32).reshape(shape)
        return raw.astype(np.float32, copy=False).reshape(shape)


@dataclass(frozen=True)
class Checkpoint:
    """A model folder and its tensors by name."""

    folder: Path
    config: Mapping[str, Any]
    tensors: Mapping[str, StoredTensor]

    def read_json(self, name: str) -> dict[str, Any]:
        """Read a JSON object of the folder; empty if there is no such file."""
        path = self.folder / name
        return read_json(path) if path.is_file() else {}

    def read_text(self, name: str) -> str:
        path = self.folder / name
        return _bounded_text(path) if path.is_file() else ""


def open_checkpoint(folder: Path) -> Checkpoint:
    """Check that the folder is a complete model, and locate its tensors without reading them."""
    if not folder.is_dir():
        raise ConversionError(f"{folder} is not a folder: name the folder of a transformers model")
    if (folder / "adapter_config.json").is_file():
        base = read_json(folder / "adapter_config.json").get("base_model_name_or_path") or "BASE"
        raise ConversionError(
            f"{folder} is a LoRA adapter, not a whole model. Merge it into its base while "
            f"exporting: spec-o3-train export {base} OUT --adapter {folder}"
        )
    if not (folder / "config.json").is_file():
        raise ConversionError(f"{folder} has no config.json: it is not a transformers model")
    try:
        files = weight_files(folder, "model")
    except EngineError as error:
        raise ConversionError(str(error)) from error
    tensors: dict[str, StoredTensor] = {}
    for path in files:
        for name, tensor in read_safetensors_header(path).items():
            if name in tensors:
                raise ConversionError(f"{folder} has {name} twice")
            tensors[name] = tensor
    return Checkpoint(folder, read_json(folder / "config.json"), tensors)


def read_safetensors_header(path: Path) -> dict[str, StoredTensor]:
    """The tensors of one file; all offsets are checked against its size."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
        if not 2 <= length <= min(MAX_HEADER, size - 8):
            raise ConversionError(f"{path} is not a safetensors file, or is cut off")
        header = _parsed(path, file.read(length))
    header.pop("__metadata__", None)
    return {name: _stored(path, name, entry, 8 + length, size) for name, entry in header.items()}


def _stored(path: Path, name: str, entry: object, data: int, size: int) -> StoredTensor:
    match entry:
        case {"dtype": str(kind), "shape": list(shape), "data_offsets": [int(begin), int(end)]}:
            pass
        case _:
            raise ConversionError(f"{path} has no usable description of {name!r:.200}")
    if kind not in STORED:
        raise ConversionError(
            f"{name!r:.200} in {path} is stored as {kind!r:.20}: only float32, float16 and "
            "bfloat16 can be converted; load the model unquantized and save it again"
        )
    if not all(isinstance(side, int) and side >= 1 for side in shape) or len(shape) > 8:
        raise ConversionError(f"{name!r:.200} in {path} has no usable shape")
    length = math.prod(shape) * np.dtype(STORED[kind]).itemsize
    if not 0 <= begin <= end <= size - data or end - begin != length:
        raise ConversionError(
            f"{name!r:.200} does not fit in {path}: the file is cut off or damaged"
        )
    return StoredTensor(path, kind, tuple(shape), data + begin)


def read_json(path: Path) -> dict[str, Any]:
    return _parsed(path, _bounded_text(path).encode())


def _bounded_text(path: Path) -> str:
    if path.stat().st_size > MAX_JSON:
        raise ConversionError(
            f"{path} is larger than {MAX_JSON // 10**6} MB: it is not a file of a model"
        )
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConversionError(f"{path} is not UTF-8 text") from error


def _parsed(path: Path, text: bytes) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConversionError(f"{path} is not valid JSON: {str(error)[:100]}") from error
    if not isinstance(content, dict):
        raise ConversionError(f"{path} is not a JSON object")
    return content


class ConversionError(WorkbenchError):
    """llama.cpp would not compute this model, or the file written from it, correctly."""
