"""Cells of a VOTable BINARY or BINARY2 stream, already decoded from base64."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from agent.spectra.readers.base import Malformed

TYPES = {
    "boolean": "S1",
    "unsignedByte": ">u1",
    "short": ">i2",
    "int": ">i4",
    "long": ">i8",
    "float": ">f4",
    "double": ">f8",
    "char": "S1",
    "unicodeChar": ">u2",
    "bit": ">u1",
    "floatComplex": ">c8",
    "doubleComplex": ">c16",
}


def unpacked_rows(
    packed: bytes, columns: list[tuple[str, str]], with_nulls: bool, max_cells: int
) -> list[list[Any]]:
    """Rows of arrays. `columns` are (datatype, arraysize); BINARY2 has a null mask a row."""
    kinds = [_kind(datatype, arraysize) for datatype, arraysize in columns]
    flags = (len(columns) + 7) // 8 if with_nulls else 0
    if flags + sum(4 if count is None else count * dtype.itemsize for dtype, count in kinds) == 0:
        raise Malformed("a VOTable whose BINARY rows have no size")
    rows: list[list[Any]] = []
    at = 0
    while at < len(packed):
        at += flags
        row = []
        for dtype, fixed in kinds:
            if fixed is None:
                length = int.from_bytes(_part(packed, at, 4), "big")
                at += 4
            else:
                length = fixed
            size = length * dtype.itemsize
            row.append(_numbers(np.frombuffer(_part(packed, at, size), dtype)))
            at += size
        rows.append(row)
        if len(rows) * len(columns) > max_cells:
            raise Malformed(f"a VOTable of more than {max_cells} cells")
    return rows


def _part(packed: bytes, at: int, size: int) -> bytes:
    if at + size > len(packed):
        raise Malformed("a VOTable whose BINARY data are cut short")
    return packed[at : at + size]


def _kind(datatype: str, arraysize: str) -> tuple[np.dtype[Any], int | None]:
    """Element type and count; None is a count written before each cell."""
    if datatype not in TYPES:
        raise Malformed(f"a VOTable column of type {datatype[:20]}, which is not read")
    dtype = np.dtype(TYPES[datatype])
    if not arraysize:
        return dtype, 1
    if "*" in arraysize:
        return dtype, None
    if not re.fullmatch(r"\d{1,9}(x\d{1,9})*", arraysize):
        raise Malformed(f"a VOTable column of size {arraysize[:20]}")
    count = 1
    for part in arraysize.split("x"):
        count *= int(part)
    return dtype, (count + 7) // 8 if datatype == "bit" else count


def _numbers(values: Any) -> Any:
    if values.dtype.kind == "S":
        return np.isin(values, [b"T", b"t", b"1"]).astype(np.float64)
    return values
