"""A text file as blocks of whole lines, none of them without bound."""

from __future__ import annotations

from collections.abc import Iterator

from app.core.importing.byte_stream import Recoded, Stream
from app.core.importing.contents import BLOCK_BYTES
from app.core.importing.encodings import Decoder

MAX_LINE = 1024 * 1024
TOO_LONG = "\0too long\0"
"""Stands where a line was longer than MAX_LINE bytes."""
UTF8_BOM = b"\xef\xbb\xbf"


def text_blocks(stream: Stream, encoding: str, decoder: Decoder) -> Iterator[str]:
    """Each ends with a line end, which is always a line feed."""
    if encoding == "utf-16":
        stream = Recoded(stream)
    for block in line_blocks(stream):
        text = decoder.text(block)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        yield text if text.endswith("\n") else text + "\n"


def line_blocks(stream: Stream) -> Iterator[bytes]:
    """Whole lines; the last of all may lack its end."""
    rest, first = b"", True
    while raw := stream.read(BLOCK_BYTES):
        rest += raw
        if first and len(rest) >= len(UTF8_BOM):
            rest, first = rest.removeprefix(UTF8_BOM), False
        cut = _cut(rest)
        if cut:
            yield rest[:cut]
            rest = rest[cut:]
        elif len(rest) > MAX_LINE:
            rest = _behind(stream)
            yield TOO_LONG.encode() + b"\n"
    if rest:
        yield rest.removeprefix(UTF8_BOM) if first else rest


def _cut(raw: bytes) -> int:
    """Behind the last line end. A carriage return at the very end may be half of one."""
    cut = raw.rfind(b"\n") + 1
    return cut or raw.rfind(b"\r", 0, len(raw) - 1) + 1


def _behind(stream: Stream) -> bytes:
    """What follows a line of which the rest is skipped."""
    while raw := stream.read(BLOCK_BYTES):
        ends = [end for end in (raw.find(b"\n"), raw.find(b"\r")) if end >= 0]
        if ends:
            return raw[min(ends) + 1 :]
    return b""
