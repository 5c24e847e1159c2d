"""FITS binary table. Text in FITS is printable ASCII: a column with any other is percent-encoded
as a whole and has a TENCn keyword. No value: NaN, TNULLn, an empty text; a truth value that may be
missing is a 1 or 0 with TNULLn, as few readers know the third state of FITS' own."""

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
from app.core.exporting.table import Shape, Table
from app.core.provenance import Provenance

BLOCK = 2880
MAX_COLUMNS = 999
NO_FLAG = -32768
WIDE = 256
MUCH = 256 * 1024**2
"""Bytes. One long comment must not make all rows long: beyond, texts lie behind the rows."""


def write_fits(file: BinaryIO, table: Table, facts: Provenance, folder: Path) -> None:
    """`folder` has room for long texts while the rows are written."""
    if len(table.shapes) > MAX_COLUMNS:
        raise SessionError(
            f"FITS holds at most {MAX_COLUMNS} columns, not {len(table.shapes)}: export to VOTable"
        )
    laid = [_laid(table, number) for number in range(len(table.shapes))]
    fields = [each.field for each in laid]
    dtype = np.dtype([(f"f{n}", field.dtype) for n, field in enumerate(fields)])
    heap_bytes = sum(each.heap_bytes for each in laid)
    file.write(primary_header())
    file.write(table_header(fields, table.rows, dtype.itemsize, heap_bytes, facts))
    with tempfile.TemporaryFile(dir=folder) as heap:
        for page in table.pages():
            rows = np.zeros(page[0].rows, dtype=dtype)
            for number, (field, block) in enumerate(zip(fields, page, strict=True)):
                rows[f"f{number}"] = _values(field, block, heap)
            file.write(rows.tobytes())
        heap.seek(0)
        shutil.copyfileobj(heap, file)
    written = dtype.itemsize * table.rows + heap_bytes
    file.write(b"\0" * (-written % BLOCK))


@dataclass(frozen=True)
class _Laid:
    field: FitsField
    heap_bytes: int = 0


def _laid(table: Table, number: int) -> _Laid:
    shape = table.shapes[number]
    if shape.kind == "whole":
        null = WHOLE_LOW if shape.stats.has_null else None
        return _Laid(FitsField(shape=shape, form="K", dtype=">i8", null=null))
    if shape.kind == "real":
        return _Laid(FitsField(shape=shape, form="D", dtype=">f8"))
    if shape.kind == "flag":
        if shape.stats.has_null:
            return _Laid(FitsField(shape=shape, form="I", dtype=">i2", null=NO_FLAG))
        return _Laid(FitsField(shape=shape, form="L", dtype="S1"))
    return _laid_text(shape, table, number)


def _laid_text(shape: Shape, table: Table, number: int) -> _Laid:
    say = str if shape.stats.is_fits_text else fits_percent
    longest = shape.stats.longest
    if say is fits_percent or shape.stats.kinds - {"text", "none"}:
        longest, _ = _sizes(table, number, say)
    width = max(longest, 1)
    if width > WIDE and width * table.rows > MUCH:
        longest, every = _sizes(table, number, fits_percent_all)
        form = f"1QA({longest})"
        return _Laid(
            FitsField(shape=shape, form=form, dtype="(2,)>i8", say=fits_percent_all), every
        )
    return _Laid(FitsField(shape=shape, form=f"{width}A", dtype=f"S{width}", say=say))


def _sizes(table: Table, number: int, say: Escape) -> tuple[int, int]:
    """The longest text as it will be written, and all together, in bytes."""
    longest = every = 0
    for block in table.column(number):
        _, lengths = _text_bytes(block, say)
        longest, every = max(longest, int(lengths.max())), every + int(lengths.sum())
    return longest, every


def _values(field: FitsField, block: ColumnPage, heap: BinaryIO) -> NDArray[Any]:
    kind = field.shape.kind
    if kind == "text":
        blob, lengths = _text_bytes(block, field.say)
        if field.in_heap:
            starts = heap.tell() + np.cumsum(lengths) - lengths
            heap.write(blob)
            return np.stack([lengths, starts], axis=1)
        return _padded(blob, lengths, np.dtype(field.dtype).itemsize)
    if kind == "flag" and field.null is None:
        return np.where(block.as_numbers("?"), b"T", b"F")
    values = block.as_numbers(field.dtype)
    if kind == "real" or field.null is not None:
        values[block.is_null()] = np.nan if kind == "real" else field.null
    return values


def _text_bytes(block: ColumnPage, say: Escape) -> tuple[bytes, NDArray[np.int64]]:
    """All texts end to end, and the length of each."""
    if say is str and block.lengths is not None:
        return block.blob, block.lengths.astype(np.int64)
    written = [say(text) if text else "" for text in block.as_texts()]
    return "".join(written).encode("ascii"), np.array([*map(len, written)], dtype=np.int64)


def _padded(blob: bytes, lengths: NDArray[np.int64], width: int) -> NDArray[np.bytes_]:
    """As texts of one width, NUL behind the shorter ones."""
    rows = np.zeros((lengths.size, width), dtype=np.uint8)
    rows[np.arange(width) < lengths[:, None]] = np.frombuffer(blob, dtype=np.uint8)
    return rows.view(f"S{width}")[:, 0]
