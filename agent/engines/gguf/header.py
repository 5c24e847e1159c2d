"""Read and check a GGUF header in Python before llama.cpp opens the file.

The native reader trusts the file. Here every count is bounded and every tensor must lie inside the
file.
"""

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from agent.errors import EngineError, read_errors

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MAX_KEYS = 4_000
MAX_TENSORS = 20_000
MAX_KEY_BYTES = 500
MAX_TEXT_BYTES = 4_000_000
MAX_ITEMS = 2_000_000
MAX_SIDE = 1 << 32
# Of the whole header; Qwen's have about 6 MB, most of it the vocabulary
MAX_HEADER_BYTES = 32_000_000
# Longer arrays, such as the vocabulary, are only counted
KEPT_ITEMS = 4096

TEXT, ARRAY = 8, 9
SCALARS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q",
    12: "<d",
}  # fmt: skip
# values per block and bytes per block, by tensor type
BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    9: (32, 40), 10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210),
    15: (256, 292), 16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18),
    21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8),
    28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip


@dataclass(frozen=True)
class ArrayValue:
    """An array in the metadata; `values` is None if it was too long to keep."""

    kind: int
    count: int
    values: tuple[object, ...] | None


@dataclass(frozen=True)
class TensorEntry:
    """One tensor of the file; `shape` has the fastest axis first, as in GGUF."""

    shape: tuple[int, ...]
    kind: int
    offset: int

    @property
    def bytes(self) -> int:
        block, size = BLOCKS[self.kind]
        return math.prod(self.shape) // block * size


@dataclass(frozen=True)
class GgufHeader:
    """The metadata and tensor list of a file."""

    path: Path
    values: Mapping[str, object]
    tensors: Mapping[str, TensorEntry]

    def text(self, key: str) -> str:
        value = self.values.get(key)
        return value if isinstance(value, str) else ""

    def integer(self, key: str) -> int:
        """Return an integer value, or -1 if there is none."""
        value = self.values.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else -1

    def array(self, key: str) -> ArrayValue:
        value = self.values.get(key)
        return value if isinstance(value, ArrayValue) else ArrayValue(-1, 0, ())


class _InvalidFile(Exception):
    """Says what is wrong with the file."""


def read_gguf_header(path: Path) -> GgufHeader:
    """Read and check a file's header. Raises EngineError if it is invalid or cut off."""
    try:
        with read_errors(path, EngineError), path.open("rb", buffering=1 << 20) as file:
            return _read(_Reader(file, path.stat().st_size), path)
    except _InvalidFile as error:
        raise EngineError(
            f"{path} is not a usable GGUF file: {error}; download it again"
        ) from error


class _Reader:
    """Sequential reads that fail at the end of the file."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self.size = size
        self._left = MAX_HEADER_BYTES

    def take(self, count: int) -> bytes:
        self._check_length(count)
        data = self._file.read(count)
        if len(data) != count:
            raise _InvalidFile("it is cut off")
        return data

    def skip(self, count: int) -> None:
        self._check_length(count)
        if self.position + count > self.size:
            raise _InvalidFile("it is cut off")
        self._file.seek(count, 1)

    def _check_length(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise _InvalidFile(f"its header is longer than {MAX_HEADER_BYTES:,} bytes")

    @property
    def position(self) -> int:
        return self._file.tell()

    def number(self, form: str) -> int:
        value: int = struct.unpack(form, self.take(struct.calcsize(form)))[0]
        return value

    def count(self, most: int, of_what: str) -> int:
        value = self.number("<Q")
        if value > most:
            raise _InvalidFile(f"it claims {value} {of_what}")
        return value

    def text(self, most: int) -> str:
        return self.take(self.count(most, "bytes of text")).decode("utf-8", "replace")


def _read(reader: _Reader, path: Path) -> GgufHeader:
    if reader.take(4) != MAGIC:
        raise _InvalidFile("it does not start with the GGUF magic")
    version = reader.number("<I")
    if version not in VERSIONS:
        raise _InvalidFile(
            f"it has version {version}; supported are {VERSIONS[0]} to {VERSIONS[-1]}"
        )
    tensor_count = reader.count(MAX_TENSORS, "tensors")
    key_count = reader.count(MAX_KEYS, "keys")
    values: dict[str, object] = {}
    for _ in range(key_count):
        key = reader.text(MAX_KEY_BYTES)
        if key in values:
            raise _InvalidFile(f"the key {key!r:.60} occurs twice")
        values[key] = _value(reader, reader.number("<I"))
    tensors: dict[str, TensorEntry] = {}
    for _ in range(tensor_count):
        name = reader.text(MAX_KEY_BYTES)
        axes = reader.number("<I")
        if not 1 <= axes <= 4:
            raise _InvalidFile(f"the tensor {name!r:.60} has {axes} axes")
        shape = tuple(reader.number("<Q") for _ in range(axes))
        kind = reader.number("<I")
        if kind not in BLOCKS:
            raise _InvalidFile(f"the tensor {name!r:.60} has the unknown type {kind}")
        if not all(1 <= side <= MAX_SIDE for side in shape) or shape[0] % BLOCKS[kind][0]:
            raise _InvalidFile(f"the tensor {name!r:.60} has an impossible shape")
        offset = reader.number("<Q")
        if name in tensors:
            raise _InvalidFile(f"the tensor {name!r:.60} occurs twice")
        tensors[name] = TensorEntry(shape, kind, offset)
    _check_extent(reader, values, tensors)
    return GgufHeader(path, values, tensors)


def _value(reader: _Reader, kind: int) -> object:
    if kind in SCALARS:
        return reader.number(SCALARS[kind])
    if kind == TEXT:
        return reader.text(MAX_TEXT_BYTES)
    if kind != ARRAY:
        raise _InvalidFile(f"it has a value of the unknown type {kind}")
    item_kind = reader.number("<I")
    count = reader.count(MAX_ITEMS, "items in one array")
    keep = count <= KEPT_ITEMS
    if item_kind in SCALARS:
        form = SCALARS[item_kind]
        if not keep:
            reader.skip(count * struct.calcsize(form))
            return ArrayValue(item_kind, count, None)
        return ArrayValue(item_kind, count, tuple(reader.number(form) for _ in range(count)))
    if item_kind != TEXT:
        raise _InvalidFile("it has nested arrays")
    if keep:
        return ArrayValue(TEXT, count, tuple(reader.text(MAX_TEXT_BYTES) for _ in range(count)))
    for _ in range(count):
        reader.take(reader.count(MAX_TEXT_BYTES, "bytes of text"))
    return ArrayValue(TEXT, count, None)


def _check_extent(
    reader: _Reader, values: Mapping[str, object], tensors: Mapping[str, TensorEntry]
) -> None:
    alignment = values.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment not in (8, 16, 32, 64, 128, 256, 4096):
        raise _InvalidFile(f"its alignment {alignment!r:.20} is invalid")
    data = -(-reader.position // alignment) * alignment
    end = data
    for name, entry in tensors.items():
        if entry.offset % alignment:
            raise _InvalidFile(f"the tensor {name!r:.60} is not aligned")
        end = max(end, data + entry.offset + entry.bytes)
    if tensors and end > reader.size:
        raise _InvalidFile(f"it is cut off: it has {reader.size:,} bytes instead of {end:,}")
