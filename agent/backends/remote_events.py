"""Server-sent events out of a stream of bytes, whatever the server sends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from agent.errors import EngineError

MAX_LINE = 4 * 2**20
"""Bytes. The longest real line holds the log-probabilities of a whole turn."""

DONE = "[DONE]"


class TooLong(EngineError):
    """More than any honest reply holds."""


def lines(pieces: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    """Lines without their ends; a last one that has no end is left out: it was cut off."""
    pending = bytearray()
    total = 0
    for piece in pieces:
        total += len(piece)
        if total > max_bytes:
            raise TooLong(f"the reply is longer than {max_bytes} bytes")
        *whole, rest = piece.split(b"\n")
        for line in whole:
            pending += line
            yield bytes(pending.removesuffix(b"\r"))
            pending.clear()
        pending += rest
        if len(pending) > MAX_LINE:
            raise TooLong(f"the reply holds a line longer than {MAX_LINE} bytes")


def events(pieces: Iterable[bytes], max_bytes: int) -> Iterator[str | None]:
    """The data of each event, and None for each line that only keeps the connection open.

    A line `error: ...`, which some servers send, counts as data.
    """
    data: list[bytes] = []
    held = 0
    for line in lines(pieces, max_bytes):
        if not line:
            if data:
                yield b"\n".join(data).decode("utf-8", "replace")
            data, held = [], 0
            continue
        name, _, value = line.partition(b":")
        if name not in (b"data", b"error"):
            yield None
            continue
        data.append(value.removeprefix(b" "))
        held += len(value)
        if held > MAX_LINE:
            raise TooLong(f"the reply holds an event longer than {MAX_LINE} bytes")


def read_all(pieces: Iterable[bytes], max_bytes: int) -> bytes:
    """A reply that does not come in events."""
    whole = bytearray()
    for piece in pieces:
        whole += piece
        if len(whole) > max_bytes:
            raise TooLong(f"the reply is longer than {max_bytes} bytes")
    return bytes(whole)


def read_json(text: str | bytes) -> dict[str, Any]:
    """A JSON object. Raises ValueError for anything else."""
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    return value
