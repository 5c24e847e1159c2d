"""Messages between the program and its workers: one JSON object a line, in plain ASCII."""

from __future__ import annotations

import json
from typing import Any, BinaryIO

from app.worker.errors import WireError

WIRE_VERSION = 1
"""Said in the worker's hello; raised when a message changes its meaning."""
MAX_BYTES = 16_000_000
_SKIPPED_AT_ONCE = 1_000_000

Message = dict[str, Any]
"""Always with a `type`; requests and their answers with an `id`."""


def encode(message: Message) -> bytes:
    """The message as a line. Raises WireError where it is too long or no JSON."""
    try:
        line = json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise WireError(f"a message cannot be written as JSON: {error}") from error
    if len(line) > MAX_BYTES:
        size = f"{len(line) / 1e6:.1f} MB"
        raise WireError(f"a message of {size} is too long; at most {MAX_BYTES / 1e6:g} MB pass")
    return line


def read_message(stream: BinaryIO) -> Message | None:
    """The next message; None at the end, where a line that was cut off counts as none.

    Raises WireError for a line that is no message; the stream then stands at the next line.
    """
    line = stream.readline(MAX_BYTES + 1)
    if not line.endswith(b"\n"):
        if len(line) <= MAX_BYTES:
            return None
        _skip_line(stream)
        raise WireError(f"a message is longer than {MAX_BYTES / 1e6:g} MB")
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WireError(f"not a line of JSON: {str(error)[:100]}") from error
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise WireError("a line of JSON that is no message")
    return message


def _skip_line(stream: BinaryIO) -> None:
    while (piece := stream.readline(_SKIPPED_AT_ONCE)) and not piece.endswith(b"\n"):
        pass
