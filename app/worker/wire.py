"""Messages between the program and its workers: one JSON object per line, in ASCII."""

import json
from typing import Any, BinaryIO

from app.worker.errors import WireError

# Sent in the worker's hello; increase it when a message changes its meaning.
WIRE_VERSION = 1
MAX_BYTES = 16_000_000
_SKIP_BYTES = 1_000_000

Message = dict[str, Any]  # Has a `type`; requests and their answers also have an `id`.


def encode(message: Message) -> bytes:
    """The message as a line of JSON. Raises WireError if it is too long or not JSON."""
    try:
        line = json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise WireError(f"a message cannot be written as JSON: {error}") from error
    if len(line) > MAX_BYTES:
        size = f"{len(line) / 1e6:.1f} MB"
        raise WireError(f"a message of {size} is too long; the limit is {MAX_BYTES / 1e6:g} MB")
    return line


def read_message(stream: BinaryIO) -> Message | None:
    """Read the next message; None at the end of the stream or at an incomplete last line.

    Raises WireError for an invalid line; the stream is then at the next line.
    """
    line = stream.readline(MAX_BYTES + 1)
    if not line.endswith(b"\n"):
        if len(line) <= MAX_BYTES:
            return None
        while (piece := stream.readline(_SKIP_BYTES)) and not piece.endswith(b"\n"):
            pass
        raise WireError(f"a message is longer than {MAX_BYTES / 1e6:g} MB")
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WireError(f"not a line of JSON: {str(error)[:100]}") from error
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise WireError("a line of JSON that is not a message")
    return message
