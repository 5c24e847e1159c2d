"""Opening a file somebody else made: nothing it claims of itself is trusted."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Protocol

from agent.errors import ReadError
from agent.spectra.fits.fits_file import FitsFile

MAX_FILE_BYTES = 16 * 1024**3
"""Only the parts asked for are read, so a large DESI coadd is fine."""
MAX_UNPACKED_BYTES = 384 * 1024**2
MAX_RATIO = 200
"""Beyond this gzip ratio a file is a bomb, not a spectrum (real ones reach about 10) ..."""
RATIO_FREE_BYTES = 16 * 1024**2
"""... once it has grown past this: a short file of zeros may be honest."""
MAX_MEMBERS = 1000
WHOLE_FILE_BYTES = 16 * 1024**2
CHUNK = 256 * 1024
GZIP_MAGIC = b"\x1f\x8b"
FOREIGN_MAGIC = {
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"PK\x03\x04": "zip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x1f\x9d": "compress (.Z)",
}


class FileBytes(Protocol):
    """Random access to bytes. `read` gives fewer bytes than asked for where the data end."""

    def read(self, offset: int, count: int) -> bytes: ...


class PlainBytes:
    """A plain file: small ones are read at once, of large ones only what is asked for."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._size = size
        self._whole = stream.read(size) if size <= WHOLE_FILE_BYTES else None

    def read(self, offset: int, count: int) -> bytes:
        if self._whole is not None:
            return self._whole[offset : offset + count]
        # The declared count may be absurd: never ask for more than the file really holds.
        count = min(count, max(0, self._size - offset))
        if count == 0:
            return b""
        self._stream.seek(offset)
        return self._stream.read(count)


class UnpackedBytes:
    """A gzip file, unpacked only as far as somebody reads, within a size and a ratio."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._pending = b""
        self._packed_seen = 0
        self._unpacked = bytearray()
        self._inflate = zlib.decompressobj(wbits=31)
        self._members = 1
        self._done = False

    def read(self, offset: int, count: int) -> bytes:
        while not self._done and len(self._unpacked) < offset + count:
            self._unpack_some()
        with memoryview(self._unpacked) as view:
            return bytes(view[offset : offset + count])

    def _unpack_some(self) -> None:
        packed = self._pending or self._more()
        if not packed:
            raise ReadError("its gzip data end too early; fetch the file again")
        try:
            self._unpacked += self._inflate.decompress(packed, CHUNK)
        except zlib.error as error:
            raise ReadError("its gzip data are damaged; fetch the file again") from error
        self._pending = self._inflate.unconsumed_tail
        self._refuse_bombs()
        if self._inflate.eof:
            self._next_member()

    def _next_member(self) -> None:
        """Gzip files may be joined end to end; other bytes after the last one are padding."""
        rest = self._inflate.unused_data or self._more()
        self._members += 1
        if not rest.startswith(GZIP_MAGIC) or self._members > MAX_MEMBERS:
            self._done = True
            return
        self._pending = rest
        self._inflate = zlib.decompressobj(wbits=31)

    def _more(self) -> bytes:
        packed = self._stream.read(CHUNK)
        self._packed_seen += len(packed)
        return packed

    def _refuse_bombs(self) -> None:
        size = len(self._unpacked)
        if size > MAX_UNPACKED_BYTES:
            limit = MAX_UNPACKED_BYTES // 1024**2
            raise ReadError(f"it unpacks to more than {limit} MB; unpack it (gunzip) first")
        if size > RATIO_FREE_BYTES and size > MAX_RATIO * self._packed_seen:
            raise ReadError(f"it unpacks to more than {MAX_RATIO} times its size: not a spectrum")


class SourceFile:
    """One file given to the readers: its name, its bytes, and its FITS structure if it has one."""

    def __init__(self, path: Path, bytes_: FileBytes, size: int) -> None:
        self.path = path
        self.bytes = bytes_
        self.size = size
        self.name = path.name.removesuffix(".gz")
        self.start = bytes_.read(0, 2880)

    @property
    def is_fits(self) -> bool:
        return self.start.startswith(b"SIMPLE  =")

    @cached_property
    def fits(self) -> FitsFile:
        return FitsFile(self.bytes)

    def whole(self, limit: int) -> bytes:
        """All bytes, refused above `limit`."""
        data = self.bytes.read(0, limit + 1)
        if len(data) > limit:
            raise ReadError(f"it is larger than {limit // 1024**2} MB, too much for its kind")
        return data


@contextmanager
def open_source(path: str | os.PathLike[str]) -> Iterator[SourceFile]:
    """Open a local regular file, gzip or not. Raises ReadError with what is wrong alone."""
    where = Path(path)
    try:
        status = where.stat()
        # A pipe would block for ever and a device has no end.
        if stat.S_ISDIR(status.st_mode):
            raise ReadError("it is a folder, not a file")
        if not stat.S_ISREG(status.st_mode):
            raise ReadError("it is not a regular file")
        stream = where.open("rb")
    except FileNotFoundError as error:
        raise ReadError("there is no such file") from error
    except PermissionError as error:
        raise ReadError("you may not read this file") from error
    except (OSError, ValueError) as error:
        raise ReadError(f"it cannot be opened ({error})") from error
    with stream:
        yield _source(where, stream, status.st_size)


def source_of(data: bytes, name: str) -> SourceFile:
    """The same over bytes in memory."""
    return _source(Path(name), BytesIO(data), len(data))


def _source(path: Path, stream: BinaryIO, size: int) -> SourceFile:
    if size == 0:
        raise ReadError("it is empty")
    if size > MAX_FILE_BYTES:
        raise ReadError(f"it is larger than {MAX_FILE_BYTES // 1024**3} GB")
    magic = stream.read(6)
    stream.seek(0)
    for foreign, name in FOREIGN_MAGIC.items():
        if magic.startswith(foreign):
            raise ReadError(f"it is packed with {name}; unpack it first (plain or .gz is read)")
    if magic.startswith(GZIP_MAGIC):
        return SourceFile(path, UnpackedBytes(stream), size)
    return SourceFile(path, PlainBytes(stream, size), size)
