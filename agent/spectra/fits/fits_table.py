"""Columns of a FITS binary table by case-insensitive name."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import isfinite
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.errors import ReadError
from agent.spectra.fits.fits_header import Header, text_of

MAX_COLUMNS = 999
MAX_TABLE_BYTES = 64 * 1024**2
SMALL_TABLE_BYTES = 64 * 1024
MAX_VALUES = 8_000_000  # per column or image: 64 MB as doubles
MAX_REPEAT = 2**27
_FORM = re.compile(r"\s*(\d{0,9})([LXBIJKAEDCMPQ])([A-Z]?)")
_TYPES = {
    "L": "u1", "B": "u1", "A": "S1", "I": ">i2", "J": ">i4", "K": ">i8", "E": ">f4", "D": ">f8",
    "C": ">c8", "M": ">c16", "P": ">i4", "Q": ">i8",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FitsColumn:
    name: str
    code: str
    element: str  # element type of a variable-length cell, else empty
    repeat: int
    offset: int
    number: int

    @property
    def is_vector(self) -> bool:
        return self.repeat != 1 or self.code in "PQ"


class FitsTable:
    """`read(offset, count)` returns bytes of the table's data or raises ReadError."""

    def __init__(
        self, header: Header, axes: tuple[int, ...], title: str, read: Callable[[int, int], bytes]
    ) -> None:
        if len(axes) != 2:
            raise ReadError(f"the table {title} has {len(axes)} axes instead of 2")
        self._header = header
        self._title = title
        self._read = read
        self.width, self.rows = axes
        self.columns = _columns(header, self.width, title)

    def __contains__(self, name: str) -> bool:
        return name.upper() in self.columns

    def has(self, *names: str) -> bool:
        return all(name.upper() in self.columns for name in names)

    def column(self, name: str) -> NDArray[Any]:
        """Scaled numbers of one column in native byte order, (rows,) or (rows, repeat)."""
        return self._cells(self._find(name), self._data, self.rows)

    def cell(self, name: str, row: int = 0) -> NDArray[Any]:
        """The values of one cell, always one-dimensional."""
        column = self._find(name)
        if column.code in "PQ":
            return self._variable(column, row)
        return self._cells(column, self._row(row), 1).reshape(-1)

    def vector(self, name: str) -> NDArray[Any]:
        """The pixels of the only spectrum: one row holds them all, or each row one."""
        return self.cell(name) if self.rows == 1 else self.column(name)

    def text(self, name: str, row: int = 0) -> str:
        """A text cell, empty if the column is missing or not text."""
        column = self.columns.get(name.upper())
        if column is None or column.code != "A" or not 0 <= row < self.rows:
            return ""
        start = column.offset
        raw = self._row(row)[start : start + column.repeat]
        return raw.partition(b"\0")[0].decode("latin-1").strip()

    def number(self, name: str, row: int = 0) -> float | None:
        """A finite number; None if the column is missing, a vector or not numeric."""
        column = self.columns.get(name.upper())
        if column is None or column.repeat != 1 or column.code not in "BIJKED":
            return None
        value = float(self._scalar(column, row))
        return value if isfinite(value) else None

    def integer(self, name: str, row: int = 0) -> int | None:
        column = self.columns.get(name.upper())
        if column is None or column.repeat != 1 or column.code not in "BIJK":
            return None
        return int(self._scalar(column, row))

    def _find(self, name: str) -> FitsColumn:
        column = self.columns.get(name.upper())
        if column is None:
            raise ReadError(f"the table {self._title} has no column {name}")
        return column

    @cached_property
    def _data(self) -> bytes:
        if self.width * self.rows > MAX_TABLE_BYTES:
            raise ReadError(f"the table {self._title} declares {self.rows} rows, which is too many")
        return self._read(0, self.width * self.rows)

    def _row(self, row: int) -> bytes:
        if not 0 <= row < self.rows:
            raise ReadError(f"the table {self._title} has {self.rows} rows, but no row {row}")
        if "_data" in self.__dict__ or self.width * self.rows <= SMALL_TABLE_BYTES:
            return self._data[row * self.width : (row + 1) * self.width]
        return self._read(row * self.width, self.width)

    def _scalar(self, column: FitsColumn, row: int) -> Any:
        """Like `cell`, but faster: a dozen numbers are read from a catalogue row."""
        raw = np.frombuffer(self._row(row), _TYPES[column.code], 1, column.offset)
        return self._scaled(column, raw)[0]

    def _cells(self, column: FitsColumn, data: bytes, rows: int) -> NDArray[Any]:
        if column.code not in _TYPES or column.code in "PQ":
            raise ReadError(f"column {column.name} of {self._title} has an unsupported type")
        if rows * column.repeat > MAX_VALUES:
            raise ReadError(f"column {column.name} of {self._title} holds too many values")
        dtype = np.dtype(_TYPES[column.code])
        if rows == 0 or column.repeat == 0:
            return np.empty((rows,) if column.repeat == 1 else (rows, column.repeat), dtype)
        cells = np.ndarray(
            (rows, column.repeat), dtype, buffer=data, offset=column.offset,
            strides=(self.width, dtype.itemsize),
        )  # fmt: skip
        values = cells[:, 0] if column.repeat == 1 else cells
        return self._scaled(column, values)

    def _scaled(self, column: FitsColumn, values: NDArray[Any]) -> NDArray[Any]:
        if column.code == "A":
            return values
        if column.code == "L":
            return values == ord("T")
        values = values.astype(values.dtype.newbyteorder("="))
        scale = self._header.number(f"TSCAL{column.number}")
        zero = self._header.number(f"TZERO{column.number}")
        if scale in (None, 1.0) and not zero:
            return values
        scaled = values.astype(np.float64)
        return scaled * (1.0 if scale is None else scale) + (zero or 0.0)

    def _variable(self, column: FitsColumn, row: int) -> NDArray[Any]:
        """A variable-length cell, stored as (count, offset) into the heap after the table."""
        if column.element not in "ABIJKED" or not column.element or column.repeat != 1:
            raise ReadError(f"column {column.name} of {self._title} has an unsupported type")
        size = 4 if column.code == "P" else 8
        raw = self._row(row)[column.offset : column.offset + 2 * size]
        count, start = (int(v) for v in np.frombuffer(raw, _TYPES[column.code]))
        heap = self._header.integer("THEAP")
        heap = self.width * self.rows if heap is None else heap
        if count < 0 or start < 0 or heap < 0:
            raise ReadError(f"column {column.name} of {self._title} points outside the file")
        dtype = np.dtype(_TYPES[column.element])
        values = np.frombuffer(self._read(heap + start, count * dtype.itemsize), dtype)
        return self._scaled(column, values)


def _columns(header: Header, width: int, title: str) -> Mapping[str, FitsColumn]:
    fields = header.integer("TFIELDS")
    if fields is None or not 0 <= fields <= MAX_COLUMNS:
        raise ReadError(f"the table {title} has TFIELDS {header.value('TFIELDS')!s:.20}")
    names = header.cards(_keys("TTYPE", fields))
    forms = header.cards(_keys("TFORM", fields))
    return _laid_out(names, forms, width, title)


@lru_cache(maxsize=64)
def _keys(start: str, count: int) -> tuple[bytes, ...]:
    return tuple(f"{start}{number}".encode().ljust(8) for number in range(1, count + 1))


@lru_cache(maxsize=32)
def _laid_out(
    names: tuple[bytes, ...], forms: tuple[bytes, ...], width: int, title: str
) -> Mapping[str, FitsColumn]:
    """Columns by upper-case name, cached: thousands of files of a survey share one layout."""
    columns: dict[str, FitsColumn] = {}
    offset = 0
    for number, (name_card, form_card) in enumerate(zip(names, forms, strict=True), 1):
        form = _form(text_of(form_card))
        if form is None:
            raise ReadError(f"column {number} of the table {title} has no readable TFORM")
        code, element, repeat, size = form
        if repeat > MAX_REPEAT:
            raise ReadError(f"column {number} of the table {title} declares {repeat} elements")
        name = text_of(name_card) or f"col{number}"
        key = name.upper()
        if key not in columns:
            columns[key] = FitsColumn(name, code, element, repeat, offset, number)
        offset += size
    if offset != width:
        raise ReadError(
            f"the columns of the table {title} need {offset} bytes per row, but NAXIS1 is {width}"
        )
    return MappingProxyType(columns)


def _form(text: str) -> tuple[str, str, int, int] | None:
    """Code, element type of a variable-length cell, repeat and bytes of a TFORM."""
    match = _FORM.match(text)
    if match is None:
        return None
    digits, code, element = match.groups()
    repeat = int(digits) if digits else 1
    return code, element, repeat, _cell_bytes(code, repeat)


def _cell_bytes(code: str, repeat: int) -> int:
    if code == "X":
        return (repeat + 7) // 8
    size = np.dtype(_TYPES[code]).itemsize
    return 2 * size * repeat if code in "PQ" else size * repeat
