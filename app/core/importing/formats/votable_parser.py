"""The first table of a VOTable as events of expat: its columns, then its rows.

Nothing outside the file is opened, no entity is expanded, and neither text nor depth grows
without bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.parsers import expat

from app.core.importing.errors import ImportFailed
from app.core.importing.formats.byte_stream import Stream
from app.core.importing.formats.contents import MAX_CELL, MAX_COLUMNS, Refused, Value, words
from app.core.importing.formats.votable_binary import BinaryRows
from app.core.importing.formats.votable_types import VOTableField

PIECE = 64 * 1024
MAX_SILENCE = 1024 * 1024
"""Bytes without anything the parser can tell: a tag or comment that never ends."""
MAX_DEPTH = 64
MAX_WORDS = 10_000

Row = list[Value] | Refused
"""Cells of every column."""


class VOTableParser:
    """Feed it the file; `fields` is complete once `is_described`."""

    def __init__(self) -> None:
        self.fields: list[VOTableField] = []
        self.is_described = False
        self.is_done = False
        self.expected: int | None = None
        self._found: list[Row] = []
        self._line = 0
        self._path: list[str] = []
        self._text: list[str] | None = None
        self._size = 0
        self._cells: list[Value] = []
        self._too_long = False
        self._binary: BinaryRows | None = None
        self._is_binary2 = False
        self._fed = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def rows(self, stream: Stream) -> Iterator[list[Row]]:
        """Those of one piece of the file after the other; empty ones before the table begins."""
        while not self.is_done and (piece := stream.read(PIECE)):
            self._feed(piece)
            yield self._taken()
        if not self.is_done:
            self._feed(b"", is_last=True)
            yield self._taken()
            if not self.is_done:
                raise ImportFailed("it holds no table with rows")

    def _taken(self) -> list[Row]:
        found, self._found = self._found, []
        return found

    def _feed(self, piece: bytes, *, is_last: bool = False) -> None:
        self._fed += len(piece)
        try:
            self._parser.Parse(piece, is_last)
        except expat.ExpatError as error:
            if not self.is_done:
                raise ImportFailed(f"it is a damaged VOTable: {error}") from error
        except (ValueError, LookupError) as error:  # an encoding that is none
            raise ImportFailed(f"it is a damaged VOTable: {str(error)[:100]}") from error
        if self._fed - self._parser.CurrentByteIndex > MAX_SILENCE + PIECE:
            raise ImportFailed("it is a damaged VOTable: a tag of more than 1 MB")

    def _doctype(self, _: str, __: str | None, ___: str | None, has_subset: int) -> None:
        if has_subset:
            raise ImportFailed("its DOCTYPE declares things of its own, which may expand anywhere")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2].upper()
        self._path.append(name)
        if len(self._path) > MAX_DEPTH:
            raise ImportFailed("it is a damaged VOTable: nested too deeply")
        if self.is_done or (self.is_described and name in ("TABLE", "FIELD")):
            return
        if name == "TABLE":
            self.fields = []
            told = attributes.get("nrows", "")
            self.expected = int(told) if told.isdecimal() and len(told) < 12 else None
        elif name == "FIELD":
            self._add_field(attributes)
        elif name == "VALUES" and self.fields and self._path[-2:-1] == ["FIELD"]:
            self.fields[-1].null = attributes.get("null", "").strip()
        elif name == "DESCRIPTION" and self._path[-2:-1] == ["FIELD"]:
            self._begin_text()
        elif name in ("TABLEDATA", "BINARY", "BINARY2", "FITS"):
            self._begin_rows(name)
        elif name == "STREAM" and self.is_described:
            self._begin_stream(attributes)
        elif name == "TR":
            self._cells, self._too_long = [], False
        elif name == "TD":
            self._begin_text()

    def _add_field(self, attributes: dict[str, str]) -> None:
        if len(self.fields) >= MAX_COLUMNS:
            raise ImportFailed(f"it has more than {MAX_COLUMNS:,} columns")

        def told(key: str) -> str:
            return attributes.get(key, "").strip()

        field = VOTableField(
            told("name") or told("ID"),
            told("datatype"),
            told("arraysize"),
            words(told("unit")),
            words(told("ucd")),
        )
        field.check()
        self.fields.append(field)

    def _begin_rows(self, name: str) -> None:
        if name == "FITS":
            raise ImportFailed("its rows are a FITS file inside, which is not read here")
        if not self.fields:
            raise ImportFailed("its table has no columns")
        self.is_described = True
        self._is_binary2 = name == "BINARY2"

    def _begin_stream(self, attributes: dict[str, str]) -> None:
        if "href" in attributes:
            raise ImportFailed("its rows lie elsewhere (href), which is not followed")
        if attributes.get("encoding", "").strip().lower() not in ("base64", ""):
            raise ImportFailed("its rows are packed in a way that is not read here")
        self._binary = BinaryRows(self.fields, with_nulls=self._is_binary2)

    def _begin_text(self) -> None:
        self._text, self._size = [], 0

    def _characters(self, text: str) -> None:
        if self._binary is not None:
            for row in self._binary.rows(text):
                self._add(row)
        elif self._text is not None:
            self._size += len(text)
            if self._size <= MAX_CELL:
                self._text.append(text)
            else:
                self._too_long = True

    def _end(self, name: str) -> None:
        name = name.rpartition(":")[2].upper()
        self._path.pop()
        if self.is_done:
            return
        if name == "TD" and self._text is not None:
            self._end_cell("".join(self._text))
        elif name == "DESCRIPTION" and self._text is not None:
            self.fields[-1].description = words("".join(self._text)[:MAX_WORDS])
            self._text = None
        elif name == "TR":
            self._end_row()
        elif name == "STREAM" and self._binary is not None:
            self._binary.end()
            self._binary = None
        elif name == "TABLE" and self.is_described:
            self.is_done = True

    def _end_cell(self, text: str) -> None:
        self._text = None
        number = len(self._cells)
        if number < len(self.fields):
            field = self.fields[number]
            self._cells.append(field.from_text(text) if field.is_single else None)
        elif number == len(self.fields):
            self._cells.append(None)  # one too many is remembered, more are not

    def _end_row(self) -> None:
        if self._too_long:
            self._refuse(f"a cell of more than {MAX_CELL:,} characters")
        elif len(self._cells) != len(self.fields):
            self._refuse(f"not {len(self.fields):,} cells, as there are columns")
        else:
            self._add(self._cells)

    def _add(self, row: list[Value]) -> None:
        self._line += 1
        self._found.append(row)

    def _refuse(self, reason: str) -> None:
        self._line += 1
        self._found.append(Refused(self._line, reason))
