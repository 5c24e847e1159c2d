"""Write a FITS binary table.

FITS text is printable ASCII: a column with any other character is percent-encoded and has a TENCn
keyword. Missing values are NaN, TNULLn or an empty text. A bool column with missing values is
written as 1 and 0 with TNULLn, because few readers support missing values in logical columns.

Not astropy's writer, which needs the whole table in memory and refuses text beyond ASCII: here a
page is written after another. The header is astropy's.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from app.core.errors import SessionError
from app.core.exporting.column_buffer import WHOLE_LOW, ColumnPage
from app.core.exporting.escapes import Escape, fits_percent, fits_percent_all
from app.core.exporting.formats.fits_header import FitsField, primary_header, table_header
from app.core.exporting.table import Table, TypedColumn
from app.core.session.provenance import Provenance

BLOCK = 2880
MAX_COLUMNS = 999
NO_FLAG = -32768
MAX_FIXED_WIDTH = 256
MAX_FIXED_BYTES = 256 * 1024**2
"""A larger text column goes to the heap, so that one long comment does not pad all rows."""


def write_fits(file: BinaryIO, table: Table, provenance: Provenance, folder: Path) -> None:
    """`folder` is used for a temporary file with the heap."""
    if len(table.columns) > MAX_COLUMNS:
        raise SessionError(
            f"FITS holds at most {MAX_COLUMNS} columns, not {len(table.columns)}: export to VOTable"
        )
    formats = [_column_format(table, number) for number in range(len(table.columns))]
    fields = [each.field for each in formats]
    dtype = np.dtype([(f"f{n}", field.dtype) for n, field in enumerate(fields)])
    heap_bytes = sum(each.heap_bytes for each in formats)
    file.write(primary_header())
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


@dataclass(frozen=True)
class _ColumnFormat:
    field: FitsField
    heap_bytes: int = 0


def _column_format(table: Table, number: int) -> _ColumnFormat:
    column = table.columns[number]
    if column.kind == "whole":
        null = WHOLE_LOW if column.stats.has_null else None
        return _ColumnFormat(FitsField(column=column, form="K", dtype=">i8", null=null))
    if column.kind == "real":
        return _ColumnFormat(FitsField(column=column, form="D", dtype=">f8"))
    if column.kind == "flag":
        if column.stats.has_null:
            return _ColumnFormat(FitsField(column=column, form="I", dtype=">i2", null=NO_FLAG))
        return _ColumnFormat(FitsField(column=column, form="L", dtype="S1"))
    return _text_format(column, table, number)


def _text_format(column: TypedColumn, table: Table, number: int) -> _ColumnFormat:
    escape = str if column.stats.is_fits_text else fits_percent
    longest = column.stats.longest
    if escape is fits_percent or column.stats.kinds - {"text", "none"}:
        longest, _ = _sizes(table, number, escape)
    width = max(longest, 1)
    if width > MAX_FIXED_WIDTH and width * table.rows > MAX_FIXED_BYTES:
        longest, total = _sizes(table, number, fits_percent_all)
        form = f"1QA({longest})"
        return _ColumnFormat(
            FitsField(column=column, form=form, dtype="(2,)>i8", escape=fits_percent_all), total
        )
    return _ColumnFormat(
        FitsField(column=column, form=f"{width}A", dtype=f"S{width}", escape=escape)
    )


def _sizes(table: Table, number: int, escape: Escape) -> tuple[int, int]:
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
        if field.in_heap:
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


def _text_bytes(page_column: ColumnPage, escape: Escape) -> tuple[bytes, NDArray[np.int64]]:
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
