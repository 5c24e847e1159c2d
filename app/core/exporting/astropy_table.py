"""Make an astropy Table of a catalogue, for scripts and for formats of plug-ins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from app.core.exporting.table import Table, TypedColumn
from app.core.session.provenance import Provenance

if TYPE_CHECKING:
    from astropy.table import Table as AstropyTable

DTYPES = {"whole": "<i8", "real": "<f8", "flag": "?"}
ROUTINE_UNITS = "silent"
"""A unit of a list may be any text: astropy keeps what it does not know."""


def to_astropy(table: Table, provenance: Provenance) -> AstropyTable:
    """The whole catalogue in memory, with units and descriptions; `meta` has the provenance.

    Cells without a value are masked.
    """
    from astropy.table import MaskedColumn  # slow to import
    from astropy.table import Table as AstropyTable
    from astropy.units import Unit

    columns = []
    for number, column in enumerate(table.columns):
        values, missing = _values(table, number, column)
        unit = column.spec.unit
        made = MaskedColumn(
            values,
            name=column.name,
            mask=missing,
            unit=Unit(unit, parse_strict=ROUTINE_UNITS) if unit else None,
            description=column.spec.description or None,
            meta={"ucd": column.spec.ucd} if column.spec.ucd else None,
        )
        columns.append(made)
    return AstropyTable(columns, meta={"provenance": provenance.as_record()})


def _values(
    table: Table, number: int, column: TypedColumn
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The cells of a column and where there is none."""
    pages = list(table.column(number))
    missing = [page.is_null() for page in pages]
    if column.kind == "text":
        texts = ["" if text is None else text for page in pages for text in page.as_texts()]
        values: NDArray[Any] = np.array(texts, dtype=str)
    else:
        dtype = DTYPES[column.kind]
        parts = [page.as_numbers(dtype) for page in pages]
        values = np.concatenate(parts) if parts else np.empty(0, dtype)
    nulls = np.concatenate(missing) if missing else np.empty(0, np.bool_)
    return values, nulls
