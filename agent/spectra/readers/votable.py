"""VOTable spectra: the first table with a wavelength and a flux column."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.spectra.fits.fits_header import Header
from agent.spectra.fits.source_file import SourceFile
from agent.spectra.readers.base import Malformed, NotMine, Request, build, checked_row, clean_text
from agent.spectra.readers.columns import ColumnField, choose_columns, read_columns
from agent.spectra.readers.libraries import describe
from agent.spectra.spectrum import MAX_PIXELS, FloatArray, Spectrum
from agent.votable.parser import DTYPES, BadRow, Cell, VOTableError, VOTableField, VOTableParser

MAX_BYTES = 32 * 1024**2
MAX_CELLS = 1_000_000
XML_STARTS = (b"<?xml", b"<VOTABLE", b"<!--", b"<vot")


def read(file: SourceFile, request: Request) -> Spectrum:
    start = file.start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start.startswith(XML_STARTS) or b"VOTABLE" not in file.start:
        raise NotMine("not a VOTable")
    parser = VOTableParser(MAX_BYTES, _is_spectrum)
    rows = _rows(parser, file.whole(MAX_BYTES))
    fields = _described(parser.fields)
    choice = choose_columns(fields)
    # One spectrum per row where the cells are vectors, otherwise one pixel per row.
    per_row = parser.fields[choice.flux].is_array
    row = checked_row(request, len(rows) if per_row else 1)

    def values(number: int) -> NDArray[Any]:
        field = parser.fields[number]
        if per_row:
            return _numbers(rows[row][number], field)
        return np.array([_first_number(cells[number], field) for cells in rows])

    loaded = read_columns(fields, choice, values)
    # PARAM and INFO values as if they were header cards, so that one description serves all.
    cards = []
    for key, value in parser.params.items():
        name = "".join(c for c in clean_text(key, 8).upper() if c.isalnum() or c in "-_")
        if not name:
            continue
        text = clean_text(value, 60)
        body = text if _is_number(text) else "'" + text.replace("'", "''")[:66] + "'"
        cards.append(f"{name:8}= {body}"[:80].ljust(80))
    header = Header("".join(cards).encode("latin-1", "replace"))
    about = describe(file, header)
    return build(
        file, loaded.pixels, medium=about.medium or loaded.medium or "unknown",
        warnings=loaded.notes, header=header, format="VOTable", flux_unit=loaded.flux_unit, row=row,
        rows=len(rows) if per_row else 1, **about.fields,
    )  # fmt: skip


def _described(fields: Sequence[VOTableField]) -> list[ColumnField]:
    return [ColumnField(field.name, field.unit, field.ucd) for field in fields]


def _is_spectrum(fields: Sequence[VOTableField]) -> bool:
    try:
        choose_columns(_described(fields))
    except NotMine:
        return False
    return True


def _rows(parser: VOTableParser, data: bytes) -> list[list[Cell]]:
    """The rows of the first table with a spectrum."""
    rows: list[list[Cell]] = []
    bad = 0
    try:
        for piece in parser.rows(BytesIO(data).read):
            rows += [row for row in piece if not isinstance(row, BadRow)]
            bad += sum(isinstance(row, BadRow) for row in piece)
            if (len(rows) + bad) * len(parser.fields) > MAX_CELLS:
                raise Malformed(f"its table has more than {MAX_CELLS} cells")
    except VOTableError as error:
        raise Malformed(str(error)) from error
    if not parser.is_described:
        if not parser.fields:
            raise NotMine("a VOTable without a table")
        choose_columns(_described(parser.fields))  # says which column is missing
    if bad:
        raise Malformed("its table has rows of unequal length")
    if not rows:
        raise Malformed("its table is empty")
    return rows


def _first_number(cell: Cell, field: VOTableField) -> float:
    if isinstance(cell, str):
        words = cell.split(maxsplit=1)
        return _float(words[0]) if words else np.nan
    numbers = _numbers(cell, field)
    return float(numbers[0]) if numbers.size else np.nan


def _numbers(cell: Cell, field: VOTableField) -> FloatArray:
    if cell is None:
        return np.array([], dtype=np.float64)
    if isinstance(cell, str):
        # Words beyond the longest spectrum stay one text: 32 MB of them would become 1 GB.
        return np.fromiter(map(_float, cell.split(maxsplit=MAX_PIXELS)), dtype=np.float64)
    numbers = np.frombuffer(cell, DTYPES[field.datatype])
    if numbers.dtype.kind == "S":
        return np.isin(numbers, [b"T", b"t", b"1"]).astype(np.float64)
    return numbers.astype(np.float64)


def _float(word: str) -> float:
    lowered = word.lower()
    if lowered in ("t", "true", "f", "false"):
        return float(lowered[0] == "t")
    try:
        return float(word)
    except ValueError:
        return np.nan


def _is_number(text: str) -> bool:
    try:
        return bool(text) and "_" not in text and np.isfinite(float(text))
    except ValueError:
        return False
