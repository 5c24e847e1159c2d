"""Streams the bytes of a list, plain or gzip, in bounded memory."""

import codecs
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from agent.errors import ReadError
from agent.spectra.fits.source_file import GZIP_MAGIC, MAX_RATIO, RATIO_FREE_BYTES, open_regular
from app.core.errors import ImportFailed


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
        self.bytes_read = 0

    def read(self, count: int) -> bytes:
        try:
            data = self._file.read(min(count, self._left))
            self._left -= len(data)
            self.bytes_read += len(data)
            return data
        except OSError as error:
            raise ImportFailed(f"it cannot be read: {error.strerror}") from error


class _Inflated:
    """Joined gzip members, unpacked on demand up to a compression ratio."""

    def __init__(self, packed: _Plain) -> None:
        self._packed = packed
        # It wants no more of a file than to be read.
        self._file = gzip.GzipFile(fileobj=cast(BinaryIO, packed))
        self._bytes = 0

    def read(self, count: int) -> bytes:
        try:
            piece = self._file.read(count)
        except EOFError as error:
            raise ImportFailed("its gzip data end too early; download the file again") from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise ImportFailed("its gzip data are damaged; download the file again") from error
        self._bytes += len(piece)
        if self._bytes > max(RATIO_FREE_BYTES, MAX_RATIO * self._packed.bytes_read):
            raise ImportFailed(f"it unpacks to more than {MAX_RATIO} times its size")
        return piece


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
