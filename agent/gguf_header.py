"""The first facts of a GGUF file: architecture, context length and the like, not its arrays."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO

from agent.errors import ResourceError

MAX_TEXT_BYTES = 64 * 1024
MAX_FACTS = 64
MAX_SKIPPED = 1000
"""Entries of an array on the way; a longer one is the vocabulary, and all facts are before it."""
_VERSIONS = (2, 3)
_TEXT, _ARRAY = 8, 9
_SCALARS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q",
    12: "<d",
}  # fmt: skip


def read_gguf_header(path: Path) -> dict[str, Any]:
    """Keys and values up to the vocabulary, at most `MAX_FACTS`. Raises ResourceError."""
    try:
        with path.open("rb") as stream:
            return _facts(stream)
    except OSError as error:
        raise ResourceError(f"{path} could not be read: {error.strerror}") from error
    except (ValueError, struct.error) as error:
        raise ResourceError(f"{path}: not a GGUF file that can be used: {error}") from error


def _facts(stream: BinaryIO) -> dict[str, Any]:
    if stream.read(4) != b"GGUF":
        raise ValueError("its first bytes are not GGUF")
    version, _, count = _unpack(stream, "<IQQ")
    if version not in _VERSIONS:
        raise ValueError(f"version {version}; 2 and 3 are known")
    facts: dict[str, Any] = {}
    for _ in range(min(count, MAX_FACTS)):
        key = _text(stream)
        (kind,) = _unpack(stream, "<I")
        if kind != _ARRAY:
            facts[key] = _value(stream, kind)
            continue
        kind, length = _unpack(stream, "<IQ")
        if length > MAX_SKIPPED:
            break
        for _ in range(length):
            _value(stream, kind)
    return facts


def _value(stream: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(stream)
    if kind not in _SCALARS:
        raise ValueError(f"holds a value of the unknown kind {kind}")
    return _unpack(stream, _SCALARS[kind])[0]


def _text(stream: BinaryIO) -> str:
    (length,) = _unpack(stream, "<Q")
    if length > MAX_TEXT_BYTES:
        raise ValueError(f"holds a text of {length} bytes")
    content = stream.read(length)
    if len(content) < length:
        raise ValueError("ends too early")
    return content.decode("utf-8", "replace")


def _unpack(stream: BinaryIO, layout: str) -> tuple[Any, ...]:
    return struct.unpack(layout, stream.read(struct.calcsize(layout)))
