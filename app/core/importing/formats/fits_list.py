"""Read the first table of a FITS file, a block of rows at a time."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.spectra.fits.fits_file import FitsFile, Hdu
from agent.spectra.fits.fits_table import FitsColumn
from agent.spectra.fits.source_file import open_source
from app.core.errors import ImportFailed
from app.core.importing.formats import contents
from app.core.importing.formats.contents import Kind, ListColumn, RowBlock, Value

BLOCK_BYTES = 1024 * 1024
MAX_ROW_BYTES = 16 * 1024 * 1024
MAX_BLOCK_ROWS = 2000
INTEGERS = {"B": "u1", "I": ">i2", "J": ">i4", "K": ">i8"}
REALS = {"E": ">f4", "D": ">f8"}
LOGICALS = {ord("T"): True, ord("F"): False}
UNSIGNED = {"B": -(2**7), "I": 2**15, "J": 2**31, "K": 2**63}
"""TZERO values by which FITS marks integers of the other signedness."""

Converter = Callable[[NDArray[Any]], list[Value]]


class FitsList(contents.TypedList):
    format = "FITS"

    def __init__(self, path: Path) -> None:
        self._path = path
        with contents.import_errors(), open_source(path) as file:
            hdu = _first_table(file.fits)
            # The size is checked now rather than after reading a million rows.
            last = hdu.start + hdu.table.width * hdu.table.rows - 1
            if not file.bytes.read(last, 1):
                raise ImportFailed(f"it is truncated: rows of {hdu.title} are missing")
            self._index = hdu.index
            converters = ((each, _converter(hdu, each)) for each in hdu.table.columns.values())
            self._fields = [(each, convert) for each, convert in converters if convert is not None]
            if not self._fields:
                raise ImportFailed(f"its table {hdu.title} has no columns with single values")
            self.left_out = len(hdu.table.columns) - len(self._fields)
            self.columns = tuple(self._describe_columns(hdu))
            self.estimate: int | None = hdu.table.rows

    def blocks(self) -> Iterator[RowBlock]:
        with contents.import_errors(), open_source(self._path) as file:
            hdu = file.fits.get(self._index)
            if hdu is None:
                raise ImportFailed("it was changed during the import: try again")
            table = hdu.table
            step = max(1, min(MAX_BLOCK_ROWS, BLOCK_BYTES // max(1, table.width)))
            for start in range(0, table.rows, step):
                count = min(step, table.rows - start)
                raw = hdu.read(start * table.width, count * table.width)
                yield self._block(raw, table.width, start, count)

    def _block(self, raw: bytes, width: int, start: int, count: int) -> RowBlock:
        cells = []
        for (field, convert), column in zip(self._fields, self.columns, strict=True):
            values = np.ndarray((count,), _dtype(field), raw, field.offset, (width,))
            cells.append(contents.TypedCells(convert(values), column.kind))
        return RowBlock(range(start + 1, start + count + 1), cells)

    def _describe_columns(self, hdu: Hdu) -> Iterator[ListColumn]:
        names = contents.column_names([field.name for field, _ in self._fields])
        for name, (field, _) in zip(names, self._fields, strict=True):
            unit, ucd, description = (
                contents.clean_words(hdu.header.text(f"{key}{field.number}"))
                for key in ("TUNIT", "TUCD", "TCOMM")
            )
            yield ListColumn(
                name=name, kind=_kind(hdu, field), unit=unit, ucd=ucd, description=description
            )


def _first_table(fits: FitsFile) -> Hdu:
    for hdu in fits:
        if hdu.kind == "TABLE":
            raise ImportFailed("its table is an ASCII table (XTENSION TABLE): save it as a "
                               "binary table or as CSV")  # fmt: skip
        if hdu.is_table and hdu.rows:
            if hdu.table.width > MAX_ROW_BYTES:
                raise ImportFailed(
                    f"its table {hdu.title} has too large rows ({hdu.table.width:,} bytes)"
                )
            return hdu
    raise ImportFailed("it contains no table with rows")


def _dtype(column: FitsColumn) -> np.dtype[Any]:
    if column.code == "A":
        return np.dtype(f"S{column.repeat}")
    return np.dtype((INTEGERS | REALS | {"L": "u1"})[column.code])


def _scaling(hdu: Hdu, column: FitsColumn) -> tuple[float, float]:
    scale = hdu.header.number(f"TSCAL{column.number}")
    return 1.0 if scale is None else scale, hdu.header.number(f"TZERO{column.number}") or 0.0


def _kind(hdu: Hdu, column: FitsColumn) -> Kind:
    if column.code in "AL":
        return "str" if column.code == "A" else "bool"
    scale, zero = _scaling(hdu, column)
    is_whole = column.code in INTEGERS and scale == 1.0 and zero in (0.0, UNSIGNED[column.code])
    if is_whole and (column.code, zero) == ("K", 2.0**63):
        return "str"  # unsigned 64-bit does not fit into a database integer
    return "int" if is_whole else "float"


def _converter(hdu: Hdu, column: FitsColumn) -> Converter | None:
    """How to convert the column; None if it does not have a single value per row."""
    if column.code == "A" and column.repeat > 0:
        return _texts
    if column.repeat != 1 or column.code not in {**INTEGERS, **REALS, "L": ""}:
        return None
    if column.code == "L":
        return lambda values: [LOGICALS.get(value) for value in values.tolist()]
    scale, zero = _scaling(hdu, column)
    null = hdu.header.integer(f"TNULL{column.number}") if column.code in INTEGERS else None
    if _kind(hdu, column) != "float":
        as_text = _kind(hdu, column) == "str"
        return lambda values: _integers(values, int(zero), null, as_text)
    if scale == 1.0 and zero == 0.0 and column.code in REALS:
        return contents.short_floats if column.code == "E" else contents.floats
    return lambda values: _scaled(values, scale, zero, null)


def _texts(values: NDArray[Any]) -> list[Value]:
    return [_decoded(raw.partition(b"\0")[0]) for raw in values.tolist()]


def _decoded(raw: bytes) -> str:
    try:
        return contents.clean(raw.decode("utf-8").strip())
    except UnicodeDecodeError:
        return contents.clean(raw.decode("latin-1").strip())


def _integers(values: NDArray[Any], zero: int, null: int | None, as_text: bool) -> list[Value]:
    found = [None if each == null else each + zero for each in values.tolist()]
    return [None if each is None else str(each) for each in found] if as_text else [*found]


def _scaled(values: NDArray[Any], scale: float, zero: float, null: int | None) -> list[Value]:
    blank = None if null is None else values == null
    numbers = values.astype(np.float64) * scale + zero
    if blank is not None:
        numbers[blank] = np.nan
    return contents.floats(numbers)
