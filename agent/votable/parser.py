"""Streams one table of a VOTable through expat: its columns, then its rows.

General VOTable parsers follow `href` to other files, trust `nrows` and expand entities. Here
nothing outside the file is opened, no entity is expanded, and text and depth are bounded.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from xml.parsers import expat

import numpy as np

from agent.errors import ReadError

PIECE = 64 * 1024
# Bytes that expat may hold back without an event, as in a tag or comment that never ends.
MAX_SILENCE = 1024 * 1024
# What may come before the first row, or between rows.
MAX_BYTES_WITHOUT_ROW = 32 * 1024 * 1024
MAX_ELEMENTS_WITHOUT_ROW = 500_000
# Names of elements and attributes: expat keeps each one for as long as it parses.
MAX_NAMES = 1000
MAX_NAME = 100
MAX_DEPTH = 64
MAX_COLUMNS = 2000
MAX_PARAMS = 400
MAX_ATTRIBUTE = 500
MAX_DESCRIPTION = 10_000

MAX_ROW_BYTES = 16 * 1024 * 1024
MAX_CELLS_PER_BYTE = 64

# The text of a TD, the bytes of a BINARY cell, or None where BINARY2 flags the cell as null.
Cell = str | bytes | None

# Codes that both `struct` and numpy understand; VOTable numbers are big-endian.
CODES = {
    "boolean": "c", "bit": "B", "unsignedByte": "B", "short": ">h", "int": ">i", "long": ">q",
    "float": ">f", "double": ">d", "char": "c", "unicodeChar": ">H", "floatComplex": ">F",
    "doubleComplex": ">D",
}  # fmt: skip
DTYPES = {datatype: np.dtype(code) for datatype, code in CODES.items()}
MAX_ELEMENTS = 64 * 1024 * 1024
# Up to eight dimensions: the product of hundreds would be taken again for every row.
_ARRAYSIZE = re.compile(r"[0-9]{1,9}(x[0-9]{1,9}){0,7}(x?\*)?|\*")


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be used, and why."""

    reason: str


Row = list[Cell] | BadRow


class VOTableParser:
    """Parses the first table with rows whose fields `accepts` approves.

    `fields` and `expected_rows` are complete once `is_described`. `params` holds the PARAM and
    INFO values seen so far. Longer cells than `max_cell` characters make a row a BadRow.
    """

    def __init__(
        self, max_cell: int, accepts: Callable[[Sequence[VOTableField]], bool] = lambda _: True
    ) -> None:
        self.fields: list[VOTableField] = []
        self.params: dict[str, str] = {}
        self.is_described = False
        self.is_done = False
        self.expected_rows: int | None = None
        self._max_cell = max_cell
        self._accepts = accepts
        self._rows: list[Row] = []
        self._path: list[str] = []
        self._text: list[str] | None = None
        self._length = 0
        self._cells: list[Cell] = []
        self._is_too_long = False
        self._binary: BinaryRows | None = None
        self._is_binary2 = False
        self._bytes_fed = self._bytes_at_row = self._elements = 0
        self._names: dict[str, str] = {}
        self._parser = expat.ParserCreate(intern=self._names)
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def rows(self, read: Callable[[int], bytes]) -> Iterator[list[Row]]:
        """The rows of one piece of the file after the other; empty lists before the table.

        `read(count)` returns up to `count` bytes, none at the end. Raises VOTableError. A file
        without an accepted table ends with `is_described` False.
        """
        while not self.is_done and (piece := read(PIECE)):
            self._feed(piece)
            yield self._new_rows()
        if not self.is_done:
            self._feed(b"", is_last=True)
            yield self._new_rows()

    def _new_rows(self) -> list[Row]:
        rows, self._rows = self._rows, []
        return rows

    def _feed(self, piece: bytes, *, is_last: bool = False) -> None:
        self._bytes_fed += len(piece)
        try:
            self._parser.Parse(piece, is_last)
        except expat.ExpatError as error:
            if not self.is_done:
                raise VOTableError(f"it is a damaged VOTable: {error}") from error
        except (ValueError, LookupError) as error:  # an unknown encoding
            raise VOTableError(f"it is a damaged VOTable: {str(error)[:100]}") from error
        if self._bytes_fed - self._parser.CurrentByteIndex > MAX_SILENCE + PIECE:
            raise VOTableError("it is a damaged VOTable: a tag of more than 1 MB")
        if len(self._names) > MAX_NAMES:
            raise VOTableError("it is a damaged VOTable: too many names of elements or attributes")
        # Raises VOTableError if there is endless XML before or between the rows.
        if self._rows:
            self._bytes_at_row, self._elements = self._bytes_fed, 0
        elif (
            self._bytes_fed - self._bytes_at_row > MAX_BYTES_WITHOUT_ROW
            or self._elements > MAX_ELEMENTS_WITHOUT_ROW
        ):
            raise VOTableError("it is a damaged VOTable: 32 MB or 500,000 elements without a row")

    def _doctype(self, _: str, __: str | None, ___: str | None, has_subset: int) -> None:
        # Older archives name the VOTable DTD in a DOCTYPE, which is harmless: it is not opened.
        if has_subset:
            raise VOTableError("its DOCTYPE declares entities, which may expand without limit")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(name) > MAX_NAME or (attributes and max(map(len, attributes)) > MAX_NAME):
            raise VOTableError("it is a damaged VOTable: a name of more than 100 characters")
        name = name.rpartition(":")[2].upper()
        self._elements += 1
        self._path.append(name)
        if len(self._path) > MAX_DEPTH:
            raise VOTableError("it is a damaged VOTable: nested too deeply")
        if self.is_done:
            return
        if self._binary is not None:
            raise VOTableError("it is a damaged VOTable: elements among its BINARY data")
        if name in ("PARAM", "INFO"):
            if len(self.params) < MAX_PARAMS:
                self.params.setdefault(_name(attributes), _attribute(attributes, "value"))
        elif not self.is_described:
            self._start_in_description(name, attributes)
        elif name == "STREAM":
            if "href" in attributes:
                raise VOTableError("its rows are in another file (href), which is not opened")
            if attributes.get("encoding", "").strip().lower() not in ("base64", ""):
                raise VOTableError("its rows have an unsupported encoding; only base64 is read")
            self._binary = BinaryRows(self.fields, with_nulls=self._is_binary2)
        elif name == "TR":
            self._cells, self._is_too_long = [], False
        elif name == "TD":
            self._start_text()

    def _start_in_description(self, name: str, attributes: dict[str, str]) -> None:
        is_in_field = bool(self.fields) and self._path[-2:-1] == ["FIELD"]
        if name == "TABLE":
            self.fields = []
            rows = attributes.get("nrows", "")
            self.expected_rows = int(rows) if rows.isdecimal() and len(rows) < 12 else None
        elif name == "FIELD":
            if len(self.fields) >= MAX_COLUMNS:
                raise VOTableError(f"it has more than {MAX_COLUMNS:,} columns")
            known = ("datatype", "arraysize", "unit", "ucd", "utype")
            about = {key: _attribute(attributes, key) for key in known}
            self.fields.append(VOTableField(_name(attributes), **about))
        elif name == "VALUES" and is_in_field:
            self.fields[-1].null = _attribute(attributes, "null")
        elif name == "DESCRIPTION" and is_in_field:
            self._start_text()
        elif name in ("TABLEDATA", "BINARY", "BINARY2", "FITS") and self._accepts(self.fields):
            if name == "FITS":
                raise VOTableError("its rows are an embedded FITS file, which is not supported")
            if not self.fields:
                raise VOTableError("its table has no columns")
            self.is_described = True
            self._is_binary2 = name == "BINARY2"

    def _start_text(self) -> None:
        self._text, self._length = [], 0

    def _characters(self, text: str) -> None:
        if self._binary is not None:
            self._rows.extend(self._binary.rows(text))
        elif self._text is not None:
            self._length += len(text)
            if self._length <= self._max_cell:
                self._text.append(text)
            else:
                self._is_too_long = True
                self._bytes_at_row = self._bytes_fed  # the rest of the cell is passed over

    def _end(self, name: str) -> None:
        name = name.rpartition(":")[2].upper()
        self._path.pop()
        if self.is_done:
            return
        if not self.is_described:
            if name == "DESCRIPTION" and self._text is not None and self.fields:
                self.fields[-1].description = "".join(self._text)[:MAX_DESCRIPTION]
                self._text = None
        elif name == "TD" and self._text is not None:
            if len(self._cells) <= len(self.fields):  # one cell too many is enough to know
                self._cells.append("".join(self._text))
            self._text = None
        elif name == "TR":
            if self._is_too_long:
                self._rows.append(BadRow(f"a cell has more than {self._max_cell:,} characters"))
            elif len(self._cells) != len(self.fields):
                self._rows.append(BadRow(f"the row does not have {len(self.fields):,} cells"))
            else:
                self._rows.append(self._cells)
        elif name == "STREAM" and self._binary is not None:
            self._binary.end()
            self._binary = None
        elif name == "TABLE":
            self.is_done = True


def _name(attributes: dict[str, str]) -> str:
    return _attribute(attributes, "name") or _attribute(attributes, "ID")


def _attribute(attributes: dict[str, str], name: str) -> str:
    return attributes.get(name, "").strip()[:MAX_ATTRIBUTE]


class BinaryRows:
    """Takes the base64 text in pieces of any size and yields each row once it is complete."""

    def __init__(self, fields: Sequence[VOTableField], *, with_nulls: bool) -> None:
        for field in fields:
            field.check()
        self._fields = [(field, field.count) for field in fields]
        self._null_bytes = (len(fields) + 7) // 8 if with_nulls else 0
        self._text = ""
        self._bytes = bytearray()
        smallest = sum(4 if count is None else f.bytes_of(count) for f, count in self._fields)
        # An endless number of rows would fit into no bytes at all, and lists of many cells in few.
        if self._null_bytes + smallest == 0:
            raise VOTableError("its BINARY rows have no size")
        if len(fields) > MAX_CELLS_PER_BYTE * (self._null_bytes + smallest):
            raise VOTableError("its BINARY rows have too many columns without size")

    def rows(self, text: str) -> Iterator[list[Cell]]:
        self._decode(text)
        offset = 0
        while (complete := self._row(offset)) is not None:
            row, offset = complete
            yield row
        del self._bytes[:offset]
        if len(self._bytes) > MAX_ROW_BYTES:
            raise VOTableError("one of its BINARY rows is larger than 16 MB")

    def end(self) -> None:
        """Raises VOTableError if the stream ends within a row."""
        self._decode("=" * (-len(self._text) % 4))
        if self._bytes:
            raise VOTableError("its BINARY data are cut short")

    def _decode(self, text: str) -> None:
        self._text += "".join(text.split())
        whole = len(self._text) // 4 * 4
        try:
            self._bytes += base64.b64decode(self._text[:whole], validate=True)
        except (binascii.Error, ValueError) as error:
            raise VOTableError("its BINARY data are damaged") from error
        self._text = self._text[whole:]

    def _row(self, start: int) -> tuple[list[Cell], int] | None:
        """The row at this offset and where it ends; None while it is incomplete."""
        data = self._bytes
        end = start + self._null_bytes
        nulls = data[start:end]
        spans: list[slice] = []
        for field, count in self._fields:
            if count is None:
                if end + 4 > len(data):
                    return None
                count = int.from_bytes(data[end : end + 4], "big")
                end += 4
            size = field.bytes_of(count)
            if size > MAX_ROW_BYTES:
                raise VOTableError("its BINARY data are damaged: a cell of more than 16 MB")
            spans.append(slice(end, end + size))
            end += size
            if end > len(data):
                return None
        # Bytes are copied only now: a large row is looked at many times before it is complete.
        return [
            None if nulls and nulls[n // 8] & (0x80 >> n % 8) else bytes(data[span])
            for n, span in enumerate(spans)
        ], end


# Columns of a VOTable as their FIELD elements describe them.
class VOTableError(ReadError):
    """A VOTable that is damaged, unsafe or of an unsupported kind."""


@dataclass
class VOTableField:
    """A FIELD element; `null` is the text that means "no value" in a column of integers."""

    name: str
    datatype: str
    arraysize: str = ""
    unit: str = ""
    ucd: str = ""
    description: str = ""
    null: str = ""
    utype: str = ""

    def check(self) -> None:
        """Raises VOTableError unless the type and size of the cells are valid."""
        column = f"its column {self.name[:40]!r}"
        if self.datatype not in CODES:
            raise VOTableError(f"{column} has an unknown type")
        if self.arraysize and not _ARRAYSIZE.fullmatch(self.arraysize):
            raise VOTableError(f"{column} has an invalid arraysize")
        if (self.count or 0) > MAX_ELEMENTS:
            raise VOTableError(f"{column} declares {self.count:,} elements per cell")

    @property
    def is_text(self) -> bool:
        return self.datatype in ("char", "unicodeChar")

    @property
    def is_array(self) -> bool:
        """Whether a cell may hold several values; a text is one value."""
        return "x" in self.arraysize if self.is_text else self.arraysize not in ("", "1")

    @property
    def count(self) -> int | None:
        """Elements of a cell in BINARY; None where each cell starts with its own count."""
        if "*" in self.arraysize:
            return None
        return math.prod(int(part) for part in self.arraysize.split("x")) if self.arraysize else 1

    def bytes_of(self, elements: int) -> int:
        if self.datatype == "bit":
            return (elements + 7) // 8
        return elements * DTYPES[self.datatype].itemsize
