"""Write a FITS binary table.

FITS text is printable ASCII: a column with any other character is percent-encoded and has a TENCn
keyword. Missing values are NaN, TNULLn or an empty text. A bool column with missing values is
written as 1 and 0 with TNULLn, because few readers support missing values in logical columns.

Not astropy's writer, which needs the whole table in memory and refuses text beyond ASCII: here a
page is written after another. The header is astropy's.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from astropy.io.fits import Header
from numpy.typing import NDArray

from app.core.errors import SessionError
from app.core.exporting import escapes
from app.core.exporting.table import WHOLE_LOW, ColumnPage, Table, TypedColumn, free_name
from app.core.session.provenance import Provenance

BLOCK = 2880
MAX_COLUMNS = 999
NO_FLAG = -32768
MAX_FIXED_WIDTH = 256
MAX_FIXED_BYTES = 256 * 1024**2
"""A larger text column goes to the heap, so that one long comment does not pad all rows."""

MAX_NUMBERED = 999
_UNITS = str.maketrans(
    {"\u00c5": "Angstrom", "\u212b": "Angstrom", "\u00b5": "u", "\u03bc": "u", "\u00b0": "deg"}
)
_NOT_NAME = re.compile(r"[^A-Za-z0-9_]")

Card = tuple[str, str | int | bool, str]


def write_fits(file: BinaryIO, table: Table, provenance: Provenance, folder: Path) -> None:
    """`folder` is used for a temporary file with the heap."""
    if len(table.columns) > MAX_COLUMNS:
        raise SessionError(
            f"FITS holds at most {MAX_COLUMNS} columns, not {len(table.columns)}: export to VOTable"
        )
    fields = [_field(table, number) for number in range(len(table.columns))]
    dtype = np.dtype([(f"f{n}", field.dtype) for n, field in enumerate(fields)])
    heap_bytes = sum(field.heap_bytes for field in fields)
    primary = Header([("SIMPLE", True), ("BITPIX", 8), ("NAXIS", 0), ("EXTEND", True)])
    file.write(_bytes(primary))
    file.write(table_header(fields, table.rows, dtype.itemsize, heap_bytes, provenance))
    with tempfile.TemporaryFile(dir=folder) as heap:
        for page in table.pages():
            rows = np.zeros(page[0].rows, dtype=dtype)
            for number, (field, page_column) in enumerate(zip(fields, page, strict=True)):
                rows[f"f{number}"] = _values(field, page_column, heap)
            file.write(rows.tobytes())
        heap.seek(0)
        shutil.copyfileobj(heap, file)
    written = dtype.itemsize * table.rows + heap_bytes
    file.write(b"\0" * (-written % BLOCK))


def _field(table: Table, number: int) -> FitsField:
    column = table.columns[number]
    if column.kind == "whole":
        null = WHOLE_LOW if column.stats.has_null else None
        return FitsField(column=column, form="K", dtype=">i8", null=null)
    if column.kind == "real":
        return FitsField(column=column, form="D", dtype=">f8")
    if column.kind == "flag" and column.stats.has_null:
        return FitsField(column=column, form="I", dtype=">i2", null=NO_FLAG)
    if column.kind == "flag":
        return FitsField(column=column, form="L", dtype="S1")
    return _text_field(column, table, number)


def _text_field(column: TypedColumn, table: Table, number: int) -> FitsField:
    escape = str if column.stats.is_fits_text else escapes.fits_percent
    longest = column.stats.longest
    if escape is escapes.fits_percent or column.stats.kinds - {"text", "none"}:
        longest, _ = _sizes(table, number, escape)
    width = max(longest, 1)
    if width > MAX_FIXED_WIDTH and width * table.rows > MAX_FIXED_BYTES:
        longest, total = _sizes(table, number, escapes.fits_percent_all)
        return FitsField(
            column=column,
            form=f"1QA({longest})",
            dtype="(2,)>i8",
            escape=escapes.fits_percent_all,
            heap_bytes=total,
        )
    return FitsField(column=column, form=f"{width}A", dtype=f"S{width}", escape=escape)


def _sizes(table: Table, number: int, escape: escapes.Escape) -> tuple[int, int]:
    """The longest and the total length of the encoded texts, in bytes."""
    longest = total = 0
    for page_column in table.column(number):
        _, lengths = _text_bytes(page_column, escape)
        longest, total = max(longest, int(lengths.max())), total + int(lengths.sum())
    return longest, total


def _values(field: FitsField, page_column: ColumnPage, heap: BinaryIO) -> NDArray[Any]:
    kind = field.column.kind
    if kind == "text":
        blob, lengths = _text_bytes(page_column, field.escape)
        if field.heap_bytes:
            starts = heap.tell() + np.cumsum(lengths) - lengths
            heap.write(blob)
            return np.stack([lengths, starts], axis=1)
        return _padded(blob, lengths, np.dtype(field.dtype).itemsize)
    if kind == "flag" and field.null is None:
        return np.where(page_column.as_numbers("?"), b"T", b"F")
    values = page_column.as_numbers(field.dtype)
    if kind == "real" or field.null is not None:
        values[page_column.is_null()] = np.nan if kind == "real" else field.null
    return values


def _text_bytes(page_column: ColumnPage, escape: escapes.Escape) -> tuple[bytes, NDArray[np.int64]]:
    """All encoded texts concatenated, and the length of each."""
    if escape is str and page_column.lengths is not None:
        return page_column.blob, page_column.lengths.astype(np.int64)
    written = [escape(text) if text else "" for text in page_column.as_texts()]
    return "".join(written).encode("ascii"), np.array([*map(len, written)], dtype=np.int64)


def _padded(blob: bytes, lengths: NDArray[np.int64], width: int) -> NDArray[np.bytes_]:
    """The texts padded with NUL to one width."""
    rows = np.zeros((lengths.size, width), dtype=np.uint8)
    rows[np.arange(width) < lengths[:, None]] = np.frombuffer(blob, dtype=np.uint8)
    return rows.view(f"S{width}")[:, 0]


@dataclass(frozen=True, kw_only=True)
class FitsField:
    """The binary format of a column. `form` is TFORM; `dtype` is the matching numpy type."""

    column: TypedColumn
    form: str
    dtype: str
    null: int | None = None
    escape: escapes.Escape = str  # Encodes its texts
    heap_bytes: int = 0  # of its texts in the heap; 0 where they stand in the rows


def table_header(
    fields: Sequence[FitsField], rows: int, row_bytes: int, heap_bytes: int, provenance: Provenance
) -> bytes:
    header = Header(
        [
            ("XTENSION", "BINTABLE", "binary table"),
            ("BITPIX", 8),
            ("NAXIS", 2),
            ("NAXIS1", row_bytes, "bytes in a row"),
            ("NAXIS2", rows, "rows"),
            ("PCOUNT", heap_bytes, "bytes of long texts after the rows"),
            ("GCOUNT", 1),
            ("TFIELDS", len(fields), "columns"),
            ("EXTNAME", "CANDIDATES", "vetted candidates"),
        ]
    )
    for card in _columns(fields):
        header.append(card, end=True)
    for key, value, comment in _provenance_cards(provenance):
        text = escapes.fits_header_text(value) if isinstance(value, str) else value
        header.append((key, text, comment), end=True)
    header.append(("TEXTENC", escapes.PERCENT, ""), end=True)
    return _bytes(header)


def _columns(fields: Sequence[FitsField]) -> Iterator[Card]:
    used_names: set[str] = set()
    for number, field in enumerate(fields, 1):
        spec = field.column.spec
        yield f"TTYPE{number}", _name(spec.name, used_names), ""
        yield f"TFORM{number}", field.form, ""
        if field.null is not None:
            yield f"TNULL{number}", field.null, "no value"
        if spec.unit:
            yield f"TUNIT{number}", escapes.fits_header_text(spec.unit.translate(_UNITS)), ""
        if spec.ucd:
            yield f"TUCD{number}", escapes.fits_header_text(spec.ucd), ""
        if words := _comment(field):
            yield f"TCOMM{number}", escapes.fits_header_text(words), ""
        if field.escape is not str:
            yield f"TENC{number}", escapes.PERCENT, ""


def _comment(field: FitsField) -> str:
    spec = field.column.spec
    parts = [spec.description] if spec.description else []
    if field.column.kind == "flag" and field.null is not None:
        parts.append("1 true, 0 false")
    list_name = spec.given_name or spec.name
    if _NOT_NAME.search(list_name) or spec.given_name:
        parts.append(f"in the list: {list_name}")
    return "; ".join(parts)


def _name(wanted: str, used_names: set[str]) -> str:
    """A name of letters, digits and _, as FITS recommends, unique regardless of case."""
    stem = wanted
    if _NOT_NAME.search(wanted):
        stem = _NOT_NAME.sub("_", wanted).rstrip("_") or "column"
    return free_name(stem, used_names)


def _provenance_cards(provenance: Provenance) -> Iterator[Card]:
    yield "DATE", provenance.written_at[:23], "UTC"
    yield "CREATOR", provenance.program, ""
    yield "PROGVER", provenance.program_version, ""
    yield "SESSID", provenance.session_id, ""
    yield "SESSNAME", provenance.session_name, ""
    yield "SESSDATE", provenance.made_at[:23], "UTC"
    yield "TASKID", provenance.task_id, ""
    yield "TASKNAME", provenance.task_name, ""
    yield "TASKSHA", provenance.task_sha256, ""
    yield "SELECT", provenance.selection, ""
    yield "NCAND", provenance.candidates, "candidates in the session"
    yield "NJUDGED", provenance.judged, "of them with a verdict"
    yield "VERFIRST", provenance.first_verdict_at[:23], "UTC, first verdict"
    yield "VERLAST", provenance.last_verdict_at[:23], "UTC, last verdict"
    if provenance.chosen:
        yield "CHOSEN", provenance.chosen, "from a survey"
    if provenance.simulated:
        yield "SIMULATD", provenance.simulated, "simulated spectra"
    for number, each in enumerate(provenance.lists[:MAX_NUMBERED], 1):
        yield f"LFILE{number}", each.file, ""
        yield f"LSHA{number}", each.sha256, ""
        yield f"LREAD{number}", each.rows_read, "rows read"
        yield f"LUSED{number}", each.rows_used, "rows used"
        yield f"LDATE{number}", each.imported_at[:23], "UTC, imported"
    for number, model in enumerate(provenance.models[:MAX_NUMBERED], 1):
        yield f"MODEL{number}", model.name, ""
        yield f"MSHA{number}", model.sha256, ""
        yield f"MCNT{number}", model.inspections, "inspections"
        if model.wording:
            yield f"MWORD{number}", model.wording, ""
    for number, service in enumerate(provenance.services[:MAX_NUMBERED], 1):
        yield f"SERV{number}", f"{service.name} {service.release}".strip(), ""
        yield f"SERVN{number}", service.answers, "candidates about which it answered"
        yield f"SERVT{number}", service.last_asked_at[:23], "UTC, asked last"
    for number, person in enumerate(provenance.reviewers[:MAX_NUMBERED], 1):
        counts = ", ".join(f"{word} {count}" for word, count in person.verdicts.items())
        yield f"REV{number}", person.name, ""
        yield f"RCNT{number}", counts, ""


def _bytes(header: Header) -> bytes:
    text: str = header.tostring()
    return text.encode("ascii")
