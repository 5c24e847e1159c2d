"""Reads the body of a reply piece by piece, as far as it may go."""

import time
from collections.abc import Iterable, Iterator, Mapping

MAX_DIGITS = 20


def whole_body(
    pieces: Iterable[bytes], most: int, too_large: Exception, announced: str = ""
) -> bytes:
    """All pieces together; raises `too_large` rather than hold more than `most` bytes.

    `announced` is the header content-length, by which a body may be refused before it comes.
    """
    if announced.isdecimal() and int(announced[:MAX_DIGITS]) > most:
        raise too_large
    found = bytearray()
    for piece in pieces:
        if len(found) + len(piece) > most:
            raise too_large
        found += piece
    return bytes(found)


def in_time(pieces: Iterable[bytes], seconds: float, too_late: Exception) -> Iterator[bytes]:
    """The pieces as they come; raises `too_late` at the first that comes later."""
    until = time.monotonic() + seconds
    for piece in pieces:
        if time.monotonic() > until:
            raise too_late
        yield piece


def is_packed(headers: Mapping[str, str]) -> bool:
    """Whether a body is compressed: it could unpack to any size."""
    return headers.get("content-encoding", "").strip().lower() not in ("", "identity")
