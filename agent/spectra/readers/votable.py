"""VOTable spectra: TABLEDATA, BINARY and BINARY2 of the first table with a wavelength and a flux.

A parser of our own over expat, because a general one follows `href` to other places, believes
`nrows` and expands entities. Here a DOCTYPE ends the reading, nothing outside is opened, and the
arrays grow with the data that are really there.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from agent.spectra.fits.fits_header import Header
from agent.spectra.fits.source_file import SourceFile
from agent.spectra.readers.base import Malformed, NotMine, Request, build, clean_text, single
from agent.spectra.readers.columns import Field, choose, content
from agent.spectra.readers.libraries import describe
from agent.spectra.readers.votable_binary import unpacked_rows
from agent.spectra.spectrum import Spectrum

MAX_BYTES = 32 * 1024**2
MAX_CELLS = 1_000_000
MAX_FIELDS = 512
MAX_DEPTH = 64
MAX_PARAMS = 400
XML_STARTS = (b"<?xml", b"<VOTABLE", b"<!--", b"<vot")


@dataclass
class Column:
    """A FIELD element."""

    name: str
    unit: str
    ucd: str
    datatype: str
    arraysize: str

    @property
    def is_array(self) -> bool:
        return self.arraysize not in ("", "1") and self.datatype not in ("char", "unicodeChar")


@dataclass
class Contents:
    """What was collected of the first usable table."""

    columns: list[Column] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    params: dict[str, str] = field(default_factory=dict)
    stream: list[str] = field(default_factory=list)
    binary: str = ""


def read(file: SourceFile, request: Request) -> Spectrum:
    start = file.start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start.startswith(XML_STARTS) or b"VOTABLE" not in file.start:
        raise NotMine("not a VOTable")
    contents = _Parser().parse(file.whole(MAX_BYTES))
    fields = [Field(column.name, column.unit, column.ucd) for column in contents.columns]
    choice = choose(fields)
    cells = _cells(contents)
    per_row = contents.columns[choice.flux].is_array
    row = single(file, request, len(cells) if per_row else 1)

    def values(number: int) -> NDArray[Any]:
        if per_row:
            return _floats(cells[row][number])
        return np.concatenate([_floats(line[number], 1) for line in cells])

    found = content(fields, choice, values)
    header = _header(contents.params)
    about = describe(file, header)
    return build(
        file,
        found.pixels,
        medium=about.medium or found.medium or "unknown",
        warnings=found.notes,
        header=header,
        format="VOTable",
        flux_unit=found.flux_unit,
        row=row,
        rows=len(cells) if per_row else 1,
        **about.fields,
    )


class _Parser:
    """Collects the first table that has both a wavelength and a flux column."""

    def __init__(self) -> None:
        self._contents = Contents()
        self._done = False
        self._path: list[str] = []
        self._text: list[str] | None = None
        self._row: list[str] = []
        self._count = 0
        self._refusal: NotMine | None = None

    def parse(self, data: bytes) -> Contents:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        try:
            parser.Parse(data, True)
        except expat.ExpatError as error:
            if not self._done:
                raise Malformed(f"a damaged VOTable: {error}") from error
        if not self._done:
            raise self._refusal or NotMine("a VOTable without a table")
        return self._contents

    def _doctype(self, *_: object) -> None:
        raise Malformed("a VOTable with a DOCTYPE, which could point or expand anywhere")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2].upper()
        self._path.append(name)
        if len(self._path) > MAX_DEPTH:
            raise Malformed("a VOTable nested too deeply")
        if self._done:
            return
        if "href" in attributes and name == "STREAM":
            raise Malformed("a VOTable whose data lie elsewhere (href), which is not followed")
        if name == "TABLE":
            self._contents = Contents(params=self._contents.params)
        elif name == "FIELD":
            self._add_field(attributes)
        elif name in ("PARAM", "INFO") and len(self._contents.params) < MAX_PARAMS:
            key = attributes.get("name", "") or attributes.get("ID", "")
            self._contents.params.setdefault(key, attributes.get("value", ""))
        elif name == "TR":
            self._row = []
        elif name in ("TD", "STREAM"):
            self._text = []
        elif name in ("BINARY", "BINARY2", "FITS"):
            self._contents.binary = name

    def _add_field(self, attributes: dict[str, str]) -> None:
        if len(self._contents.columns) >= MAX_FIELDS:
            raise Malformed(f"a VOTable of more than {MAX_FIELDS} columns")
        self._contents.columns.append(
            Column(
                attributes.get("name", "") or attributes.get("ID", ""),
                attributes.get("unit", ""),
                attributes.get("ucd", ""),
                attributes.get("datatype", ""),
                attributes.get("arraysize", ""),
            )
        )

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, name: str) -> None:
        name = name.rpartition(":")[2].upper()
        self._path.pop()
        if self._done:
            return
        if name == "TD" and self._text is not None:
            self._row.append("".join(self._text))
            self._text = None
        elif name == "STREAM" and self._text is not None:
            self._contents.stream, self._text = self._text, None
        elif name == "TR":
            self._count += len(self._row) + 1  # an empty row costs memory too
            if self._count > MAX_CELLS:
                raise Malformed(f"a VOTable of more than {MAX_CELLS} cells")
            self._contents.rows.append(self._row)
        elif name == "TABLE":
            self._close_table()

    def _close_table(self) -> None:
        contents = self._contents
        try:
            choose([Field(column.name, column.unit, column.ucd) for column in contents.columns])
        except NotMine as refusal:
            self._refusal = refusal
            return
        self._done = True


def _cells(contents: Contents) -> list[list[Any]]:
    """Rows of cells: text from TABLEDATA, numbers from BINARY."""
    width = len(contents.columns)
    if contents.binary == "FITS":
        raise Malformed("a VOTable with FITS inside, which is not read")
    if contents.binary:
        try:
            packed = base64.b64decode("".join(contents.stream), validate=False)
        except (binascii.Error, ValueError) as error:
            raise Malformed("a VOTable whose BINARY data are damaged") from error
        columns = [(column.datatype, column.arraysize) for column in contents.columns]
        return unpacked_rows(packed, columns, contents.binary == "BINARY2", MAX_CELLS)
    if not contents.rows:
        raise Malformed("a VOTable whose table is empty")
    if any(len(row) != width for row in contents.rows):
        raise Malformed("a VOTable with rows of unequal length")
    return list(contents.rows)


def _floats(cell: Any, count: int | None = None) -> NDArray[np.float64]:
    """A cell as numbers; `count` cuts or fills with NaN to just that many."""
    if isinstance(cell, str):
        numbers = np.array([_float(word) for word in cell.split()], dtype=np.float64)
    else:
        numbers = np.asarray(cell, dtype=np.float64).reshape(-1)
    if count is None or numbers.size == count:
        return numbers
    return np.concatenate([numbers[:count], np.full(max(0, count - numbers.size), np.nan)])


def _float(word: str) -> float:
    lowered = word.lower()
    if lowered in ("t", "true", "f", "false"):
        return float(lowered[0] == "t")
    try:
        return float(word)
    except ValueError:
        return np.nan


def _header(params: dict[str, str]) -> Header:
    """PARAM and INFO values as if they were header cards, so that one description serves all."""
    cards = []
    for key, value in params.items():
        name = "".join(c for c in clean_text(key, 8).upper() if c.isalnum() or c in "-_")
        if not name:
            continue
        text = clean_text(value, 60)
        body = text if _is_number(text) else "'" + text.replace("'", "''")[:66] + "'"
        cards.append(f"{name:8}= {body}"[:80].ljust(80))
    return Header("".join(cards).encode("latin-1", "replace"))


def _is_number(text: str) -> bool:
    try:
        return bool(text) and "_" not in text and np.isfinite(float(text))
    except ValueError:
        return False
