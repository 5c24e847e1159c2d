"""Streams the bytes of a list, plain or gzip, in bounded memory."""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from agent.errors import ReadError
from agent.spectra.fits.source_file import GZIP_MAGIC, MAX_RATIO, RATIO_FREE_BYTES, open_regular
from app.core.errors import ImportFailed

CHUNK = 128 * 1024


class Stream(Protocol):
    def read(self, count: int) -> bytes:
        """Up to `count` bytes; none at the end."""


@contextmanager
def byte_stream(path: Path) -> Iterator[Stream]:
    """Open a local regular file. Raises ImportFailed, whose text does not name the file."""
    try:
        file, size = open_regular(path)
    except ReadError as error:
        raise ImportFailed(str(error)) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a valid file name"
        raise ImportFailed(f"it cannot be opened: {reason}") from error
    with file:
        magic = _Plain(file, size).read(2)
        file.seek(0)
        plain = _Plain(file, size)
        yield _Inflated(plain) if magic == GZIP_MAGIC else plain


class _Plain:
    """A plain file up to its size when opened: another program may keep appending to it."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._left = size

    def read(self, count: int) -> bytes:
        try:
            data = self._file.read(min(count, self._left))
            self._left -= len(data)
            return data
        except OSError as error:
            raise ImportFailed(f"it cannot be read: {error.strerror}") from error


class _Inflated:
    """Joined gzip members, unpacked on demand up to a compression ratio."""

    def __init__(self, packed: Stream) -> None:
        self._packed = packed
        self._inflate = zlib.decompressobj(wbits=31)
        self._pending = b""
        self._packed_bytes = self._bytes = 0
        self._done = False

    def read(self, count: int) -> bytes:
        while not self._done:
            if piece := self._piece(count):
                self._bytes += len(piece)
                if self._bytes > max(RATIO_FREE_BYTES, MAX_RATIO * self._packed_bytes):
                    raise ImportFailed(f"it unpacks to more than {MAX_RATIO} times its size")
                return piece
        return b""

    def _piece(self, count: int) -> bytes:
        source = self._pending or self._more()
        if not source:
            raise ImportFailed("its gzip data end too early; download the file again")
        try:
            piece = self._inflate.decompress(source, count)
        except zlib.error as error:
            raise ImportFailed("its gzip data are damaged; download the file again") from error
        self._pending = self._inflate.unconsumed_tail
        if self._inflate.eof:
            self._next_member()
        return piece

    def _next_member(self) -> None:
        """Go on to the next member, behind any padding with zeros, wherever a read ended."""
        rest = self._inflate.unused_data.lstrip(b"\0")
        while len(rest) < len(GZIP_MAGIC) and (more := self._more()):
            rest = (rest + more).lstrip(b"\0")
        # Anything but a member is damaged: it may be one whose first bytes are, with all its rows.
        self._pending, self._done = rest, not rest
        self._inflate = zlib.decompressobj(wbits=31)

    def _more(self) -> bytes:
        packed = self._packed.read(CHUNK)
        self._packed_bytes += len(packed)
        return packed


class Recoded:
    """Converts UTF-16 to UTF-8."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-16")("replace").decode

    def read(self, count: int) -> bytes:
        while raw := self._stream.read(count):
            if text := self._decode(raw):
                return text.encode()
        return self._decode(b"", True).encode()
