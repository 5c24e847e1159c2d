"""VOTable lists: TABLEDATA, BINARY and BINARY2 of the first table with rows."""

import math
import re
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from agent.votable.parser import CODES, BadRow, Cell, Row, VOTableField, VOTableParser
from app.core.errors import ImportFailed
from app.core.importing.formats import contents
from app.core.importing.formats.byte_stream import byte_stream
from app.core.importing.formats.cell_numbers import float_of, is_missing
from app.core.importing.formats.contents import Kind, ListColumn, Refused, RowBlock, Value

DATATYPES: dict[Kind, tuple[str, ...]] = {
    "bool": ("boolean", "bit"),
    "int": ("unsignedByte", "short", "int", "long"),
    "float": ("float", "double"),
    "str": ("char", "unicodeChar"),
}
KINDS = {name: kind for kind, names in DATATYPES.items() for name in names}
MAX_ROW = 1024 * 1024  # characters or bytes of the cells that are used
TRUE, FALSE = frozenset("tT1"), frozenset("fF0")
"""How the standard writes them; `?`, a space and a zero byte are missing values."""
_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")


class VOTableList(contents.TypedList):
    """Reads the file twice: its columns when it is made, and its rows in `blocks`."""

    format = "VOTable"

    def __init__(self, path: Path) -> None:
        self._path = path
        parser = VOTableParser(contents.MAX_CELL)
        with contents.import_errors(), byte_stream(path) as stream:
            for _ in parser.rows(stream.read):
                if parser.is_described:
                    break
            if not parser.is_described:
                raise ImportFailed("it holds no table with rows")
            for field in parser.fields:
                field.check()
        self._used = [
            (number, field)
            for number, field in enumerate(parser.fields)
            if field.datatype in KINDS and not field.is_array
        ]
        if not self._used:
            raise ImportFailed("its table has no columns of single values")
        self.left_out = len(parser.fields) - len(self._used)
        names = contents.column_names([field.name for _, field in self._used])
        self.columns = tuple(
            ListColumn(
                name=name,
                kind=KINDS[field.datatype],
                unit=contents.clean_words(field.unit),
                description=contents.clean_words(field.description),
                ucd=contents.clean_words(field.ucd),
            )
            for name, (_, field) in zip(names, self._used, strict=True)
        )
        self.estimate = parser.expected_rows

    def blocks(self) -> Iterator[RowBlock]:
        parser = VOTableParser(contents.MAX_CELL)
        line = 1
        with contents.import_errors(), byte_stream(self._path) as stream:
            for rows in parser.rows(stream.read):
                if rows:
                    yield self._block(rows, line)
                    line += len(rows)

    def _block(self, rows: list[Row], first: int) -> RowBlock:
        lines, good, refused = [], [], []
        # Only the first row of a piece of the file can have begun in an earlier one.
        if not isinstance(rows[0], BadRow) and self._size(rows[0]) > MAX_ROW:
            rows = [BadRow("it is longer than 1 MB"), *rows[1:]]
        for line, row in enumerate(rows, first):
            if isinstance(row, BadRow):
                refused.append(Refused(line, row.reason))
            else:
                lines.append(line)
                good.append(row)
        cells = [
            contents.TypedCells(
                [value_of(row[number], field) for row in good], KINDS[field.datatype]
            )
            for number, field in self._used
        ]
        return RowBlock(lines, cells, refused)

    def _size(self, row: list[Cell]) -> int:
        return sum(len(row[number] or "") for number, _ in self._used)


def value_of(cell: Cell, field: VOTableField) -> Value:
    """A cell of TABLEDATA is text, one of BINARY and BINARY2 the bytes of its value."""
    if cell is None:
        return None
    return _from_text(cell, field) if isinstance(cell, str) else _from_bytes(cell, field)


def _from_text(text: str, field: VOTableField) -> Value:
    kind = KINDS[field.datatype]
    if kind == "str":
        return contents.clean(text)
    text = text.strip()
    if not text or (field.null and text == field.null) or is_missing(text):
        return None
    if kind == "bool":
        return _logical(text[0])
    if kind == "float":
        number = float_of(text)
        return None if number is None or math.isnan(number) else number
    integer = int(text) if _INTEGER.fullmatch(text) else _hexadecimal(text)
    return integer if integer is not None and abs(integer) < contents.INT64 else None


def _from_bytes(raw: bytes, field: VOTableField) -> Value:
    if field.datatype == "char":
        return contents.clean(raw.partition(b"\0")[0].decode("utf-8", "replace"))
    if field.datatype == "unicodeChar":
        return contents.clean(raw.decode("utf-16-be", "replace").partition("\0")[0])
    if field.datatype == "bit":
        return raw[0] != 0  # some writers set another bit of the byte than the first
    if field.datatype == "boolean":
        return _logical(raw.decode("latin-1"))
    (value,) = struct.unpack(CODES[field.datatype], raw)
    if KINDS[field.datatype] == "int":
        return None if field.null and str(value) == field.null else int(value)
    if math.isnan(value):
        return None
    # float32 as people write it: 0.1, not 0.10000000149011612.
    return float(str(np.float32(value))) if field.datatype == "float" else float(value)


def _logical(letter: str) -> bool | None:
    return True if letter in TRUE else False if letter in FALSE else None


def _hexadecimal(text: str) -> int | None:
    try:
        return int(text, 16) if text.lower().startswith("0x") else None
    except ValueError:
        return None
