"""Streams one table of a VOTable through expat: its columns, then its rows.

General VOTable parsers follow `href` to other files, trust `nrows` and expand entities. Here
nothing outside the file is opened, no entity is expanded, and text and depth are bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from xml.parsers import expat

from agent.votable.binary_rows import BinaryRows, Cell
from agent.votable.fields import VOTableError, VOTableField

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
        self._check_for_rows()

    def _check_for_rows(self) -> None:
        """Raises VOTableError if there is endless XML before or between the rows."""
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
            self._add_param(attributes)
        elif self.is_described:
            self._start_in_rows(name, attributes)
        else:
            self._start_in_description(name, attributes)

    def _start_in_description(self, name: str, attributes: dict[str, str]) -> None:
        is_in_field = bool(self.fields) and self._path[-2:-1] == ["FIELD"]
        if name == "TABLE":
            self.fields = []
            rows = attributes.get("nrows", "")
            self.expected_rows = int(rows) if rows.isdecimal() and len(rows) < 12 else None
        elif name == "FIELD":
            self._add_field(attributes)
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

    def _start_in_rows(self, name: str, attributes: dict[str, str]) -> None:
        if name == "STREAM":
            self._start_stream(attributes)
        elif name == "TR":
            self._cells, self._is_too_long = [], False
        elif name == "TD":
            self._start_text()

    def _add_param(self, attributes: dict[str, str]) -> None:
        if len(self.params) < MAX_PARAMS:
            name = _attribute(attributes, "name") or _attribute(attributes, "ID")
            self.params.setdefault(name, _attribute(attributes, "value"))

    def _add_field(self, attributes: dict[str, str]) -> None:
        if len(self.fields) >= MAX_COLUMNS:
            raise VOTableError(f"it has more than {MAX_COLUMNS:,} columns")
        self.fields.append(
            VOTableField(
                _attribute(attributes, "name") or _attribute(attributes, "ID"),
                _attribute(attributes, "datatype"),
                _attribute(attributes, "arraysize"),
                _attribute(attributes, "unit"),
                _attribute(attributes, "ucd"),
                utype=_attribute(attributes, "utype"),
            )
        )

    def _start_stream(self, attributes: dict[str, str]) -> None:
        if "href" in attributes:
            raise VOTableError("its rows are in another file (href), which is not opened")
        if attributes.get("encoding", "").strip().lower() not in ("base64", ""):
            raise VOTableError("its rows have an unsupported encoding; only base64 is read")
        self._binary = BinaryRows(self.fields, with_nulls=self._is_binary2)

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
            self._end_row()
        elif name == "STREAM" and self._binary is not None:
            self._binary.end()
            self._binary = None
        elif name == "TABLE":
            self.is_done = True

    def _end_row(self) -> None:
        if self._is_too_long:
            self._rows.append(BadRow(f"a cell has more than {self._max_cell:,} characters"))
        elif len(self._cells) != len(self.fields):
            self._rows.append(BadRow(f"the row does not have {len(self.fields):,} cells"))
        else:
            self._rows.append(self._cells)


def _attribute(attributes: dict[str, str], name: str) -> str:
    return attributes.get(name, "").strip()[:MAX_ATTRIBUTE]
