"""A bounded reader of FITS structure: images and binary tables as numpy arrays, nothing else.

Why not astropy here: it takes sizes from the header before it looks at the file, warns and
raises in many ways on damaged files, takes 0.3 s to import and 8 to 30 times as long a file
(SDSS, DESI, LAMOST, measured side by side). Survey spectra need a small part of FITS, and
every size below is checked against real bytes first.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from agent.errors import ReadError
from agent.spectra.fits.fits_header import CARD, Header
from agent.spectra.fits.fits_table import MAX_VALUES, FitsTable

BLOCK = 2880
MAX_HDUS = 2000
MAX_HEADER_BYTES = 1024 * 1024
HEADER_PIECE = 16 * BLOCK
MAX_AXES = 8
MAX_ARRAY_BYTES = 64 * 1024**2
BITPIX_TYPES = {8: ">u1", 16: ">i2", 32: ">i4", 64: ">i8", -32: ">f4", -64: ">f8"}


class ByteReader(Protocol):
    def read(self, offset: int, count: int) -> bytes: ...


class Hdu:
    """One header-data unit; its data are read when asked for."""

    def __init__(self, source: ByteReader, index: int, header: Header, start: int) -> None:
        self._source = source
        self.index = index
        self.header = header
        self.start = start
        self.name = header.text("EXTNAME").upper()
        self.axes = _axes(header, index)
        self.end = start + _data_bytes(self)

    @property
    def kind(self) -> str:
        """'IMAGE', 'BINTABLE' or whatever XTENSION says; the primary HDU is an image."""
        return "IMAGE" if self.index == 0 else self.header.text("XTENSION").upper()

    @property
    def is_table(self) -> bool:
        return self.kind in ("BINTABLE", "A3DTABLE")

    @property
    def title(self) -> str:
        return self.name or f"HDU {self.index}"

    @property
    def pixels(self) -> int:
        """Length of the fastest axis, 0 for an empty HDU."""
        return self.axes[0] if self.axes else 0

    @property
    def rows(self) -> int:
        """Product of all axes but the fastest."""
        rows = 1
        for length in self.axes[1:]:
            rows *= length
        return rows if self.axes else 0

    def image(self, first: int = 0, count: int | None = None) -> NDArray[np.float64]:
        """Rows `first` to `first + count` as an array of (count, pixels), scaled."""
        count = self.rows - first if count is None else count
        if first < 0 or count < 0 or first + count > self.rows:
            raise ReadError(f"{self.title} has {self.rows} rows, not {first + count}")
        if count * self.pixels > MAX_VALUES:
            raise ReadError(f"{self.title} has rows of {self.pixels} pixels, too many")
        dtype = np.dtype(BITPIX_TYPES[self._bitpix])
        width = self.pixels * dtype.itemsize
        raw = self.read(first * width, count * width)
        values = np.frombuffer(raw, dtype).reshape(count, self.pixels).astype(np.float64)
        scale, zero = self.header.number("BSCALE"), self.header.number("BZERO")
        blank = self.header.integer("BLANK")
        if blank is not None and self._bitpix > 0:
            values[values == blank] = np.nan
        if scale not in (None, 1.0):
            values *= scale
        if zero:
            values += zero
        return values

    @cached_property
    def table(self) -> FitsTable:
        if not self.is_table:
            raise ReadError(f"{self.title} is not a binary table")
        return FitsTable(self.header, self.axes, self.title, self.read)

    def read(self, offset: int, count: int) -> bytes:
        """`count` bytes of this HDU's data; an error where the file ends before them."""
        if count > MAX_ARRAY_BYTES:
            raise ReadError(f"{self.title} declares {count // 1024**2} MB of data, too much")
        if offset + count > self.end - self.start:
            raise ReadError(f"{self.title} points outside its own data")
        raw = self._source.read(self.start + offset, count)
        if len(raw) < count:
            raise ReadError(f"the file is cut short: the data of {self.title} are incomplete")
        return raw

    @cached_property
    def _bitpix(self) -> int:
        bitpix = self.header.integer("BITPIX")
        if bitpix not in BITPIX_TYPES:
            raise ReadError(f"{self.title} has BITPIX {bitpix}, which FITS does not know")
        return bitpix


class FitsFile:
    """The HDUs of a file, found one after the other and only as far as somebody looks."""

    def __init__(self, source: ByteReader) -> None:
        self._source = source
        self._found: list[Hdu] = []
        self._complete = False

    def __iter__(self) -> Iterator[Hdu]:
        index = 0
        while (hdu := self.get(index)) is not None:
            yield hdu
            index += 1

    @property
    def primary(self) -> Hdu:
        first = self.get(0)
        if first is None:
            raise ReadError("the FITS file has no primary header")
        return first

    def get(self, index: int) -> Hdu | None:
        while index >= len(self._found) and not self._complete:
            self._find_next()
        return self._found[index] if index < len(self._found) else None

    def named(self, name: str) -> Hdu | None:
        return next((hdu for hdu in self if hdu.name == name), None)

    def tables(self) -> Iterator[Hdu]:
        return (hdu for hdu in self if hdu.is_table)

    def _find_next(self) -> None:
        index = len(self._found)
        if index >= MAX_HDUS:
            raise ReadError(f"it has more than {MAX_HDUS} HDUs")
        start = -(-self._found[-1].end // BLOCK) * BLOCK if self._found else 0
        raw = self._header_bytes(start, index)
        if raw is None:
            self._complete = True
            return
        self._found.append(Hdu(self._source, index, Header(raw), start + _padded(len(raw))))

    def _header_bytes(self, start: int, index: int) -> bytes | None:
        """The cards of the header at `start`, or None where the file holds no further HDU."""
        raw = b""
        while True:
            # Most headers end within the first piece: one read, one search.
            piece = self._source.read(start + len(raw), HEADER_PIECE)
            if not raw and index > 0 and not piece.startswith(b"XTENSION"):
                return None  # padding or special records after the last HDU
            end = _end_card(piece)
            if end is not None:
                return raw + piece[: end + CARD]
            if len(piece) < HEADER_PIECE:
                raise ReadError(f"the header of HDU {index} has no END: the file is cut short")
            raw += piece
            if len(raw) > MAX_HEADER_BYTES:
                raise ReadError(f"the header of HDU {index} is larger than 1 MB")


def _end_card(piece: bytes) -> int | None:
    at = piece.find(b"END     ")
    while at >= 0:
        if at % CARD == 0:
            return at
        at = piece.find(b"END     ", at + 1)
    return None


def _padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK


def _axes(header: Header, index: int) -> tuple[int, ...]:
    count = header.integer("NAXIS")
    if count is None or not 0 <= count <= MAX_AXES:
        raise ReadError(f"HDU {index} has NAXIS {header.value('NAXIS')!s:.20}")
    axes = []
    for number in range(1, count + 1):
        length = header.integer(f"NAXIS{number}")
        if length is None or not 0 <= length < 2**48:
            raise ReadError(f"HDU {index} has NAXIS{number} {header.value(f'NAXIS{number}')!s:.20}")
        axes.append(length)
    return tuple(axes)


def _data_bytes(hdu: Hdu) -> int:
    """Bytes of data the header declares. The number may be absurd: it is only compared."""
    if not hdu.axes:
        return 0
    bitpix: Any = hdu.header.integer("BITPIX")
    if bitpix not in BITPIX_TYPES:
        raise ReadError(f"{hdu.title} has BITPIX {bitpix}, which FITS does not know")
    extra = hdu.header.integer("PCOUNT") or 0
    groups = hdu.header.integer("GCOUNT")
    groups = 1 if groups is None else groups
    if not 0 <= extra < 2**48 or groups != 1:
        raise ReadError(f"{hdu.title} has PCOUNT {extra} and GCOUNT {groups}")
    count = hdu.pixels * hdu.rows
    if count >= 2**48:
        raise ReadError(f"{hdu.title} declares {count} elements")
    return abs(bitpix) // 8 * (count + extra)
