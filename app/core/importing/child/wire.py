"""Entries on their way from the process that reads a list: a line of JSON, then the columns."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

from app.core.importing.entries import FIELDS, Entries
from app.core.importing.formats.contents import Refused

Message = dict[str, Any]
"""Always with a `type`: 'entries', 'busy', 'again', 'end' or 'failed'."""
Frame = tuple[Message, bytes]

MAX_HEADER = 64 * 1024 * 1024
WHOLE = ("line", "row")
REAL = ("ra", "dec", "score", "snr")


def write_message(stream: BinaryIO, message: Message, body: bytes = b"") -> None:
    line = json.dumps({**message, "size": len(body)}).encode("ascii")
    stream.write(line + b"\n")
    stream.write(body)
    stream.flush()


def read_frame(stream: BinaryIO) -> Frame | None:
    """None at the end, also where it comes in the middle of a message."""
    line = stream.readline(MAX_HEADER)
    if not line.endswith(b"\n"):
        return None
    message: Message = json.loads(line)
    body = stream.read(message["size"])
    return (message, body) if len(body) == message["size"] else None


def write_entries(stream: BinaryIO, entries: Entries) -> None:
    pieces = [
        _packers.get(name, _packed_texts)(column)
        for name, column in zip(FIELDS, entries.columns, strict=True)
    ]
    message = {
        "type": "entries",
        "count": len(entries),
        "sizes": [len(piece) for piece in pieces],
        "refused": [[row.line, row.reason] for row in entries.refused],
    }
    write_message(stream, message, b"".join(pieces))


def entries_of(frame: Frame) -> Entries:
    message, body = frame
    columns: list[Sequence[Any]] = []
    at = 0
    for name, size in zip(FIELDS, message["sizes"], strict=True):
        piece = body[at : at + size]
        columns.append(_unpackers.get(name, _texts)(piece) if message["count"] else [])
        at += size
    return Entries(columns, [Refused(line, reason) for line, reason in message["refused"]])


def _packed_texts(texts: Sequence[str]) -> bytes:
    return "\0".join(texts).encode()


def _texts(packed: bytes) -> list[str]:
    return packed.decode().split("\0")


def _packed_wholes(numbers: Sequence[int]) -> bytes:
    return array("q", numbers).tobytes()


def _wholes(packed: bytes) -> list[int]:
    return array("q", packed).tolist()


def _packed_reals(numbers: Sequence[float | None]) -> bytes:
    known = [math.nan if number is None else number for number in numbers]
    return array("d", known).tobytes()


def _reals(packed: bytes) -> list[float] | list[float | None]:
    numbers = array("d", packed).tolist()
    if math.isnan(sum(numbers)):
        return [None if math.isnan(number) else number for number in numbers]
    return numbers


_packers: dict[str, Callable[[Sequence[Any]], bytes]] = {
    **dict.fromkeys(WHOLE, _packed_wholes),
    **dict.fromkeys(REAL, _packed_reals),
}
_unpackers: dict[str, Callable[[bytes], Sequence[Any]]] = {
    **dict.fromkeys(WHOLE, _wholes),
    **dict.fromkeys(REAL, _reals),
}
