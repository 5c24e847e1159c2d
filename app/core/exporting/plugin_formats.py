"""Export formats of plug-ins: the name of such an entry point is the suffix of its files.

The plug-in is a function `write(file, table)`: `file` is open for bytes, `table` an astropy Table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from os import SEEK_END
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from agent.errors import WorkbenchError
from agent.plugins import find_plugin, in_plugin, packages_of, report, report_failure
from app.core.errors import SessionError
from app.core.exporting.table import Table, TypedColumn
from app.core.progress import StoppedError
from app.core.session.provenance import Provenance

if TYPE_CHECKING:
    from astropy.table import Table as AstropyTable

SUFFIX = re.compile(r"[a-z0-9]{1,12}")
TAKEN = (
    *("csv", "ecsv", "fits", "fit", "vot", "votable", "xml", "parquet"),
    *("html", "htm", "jsonl", "speco3", "db", "sqlite"),
)
"""Suffixes of our own files and formats."""

DTYPES = {"whole": "<i8", "real": "<f8", "flag": "?"}
ROUTINE_UNITS = "silent"  # A unit of a list may be any text: astropy keeps what it does not know.


def plugin_formats() -> dict[str, str]:
    """The format of each suffix that a plug-in writes, without running any of its code."""
    found = {}
    for name, package in packages_of("exporters"):
        problem = ""
        if not SUFFIX.fullmatch(name):
            problem = f"a suffix is 1 to 12 of a-z and 0-9, not .{name}: left out"
        elif name in TAKEN:
            problem = f"the suffix .{name} is one of the program's own: left out"
        if problem:
            report("exporters", name, package, problem)
        else:
            found[f".{name}"] = name
    return found


def plugin_titles() -> list[tuple[str, str]]:
    formats = plugin_formats().values()
    return [(name, f".{name} ({by})") for name, by in packages_of("exporters") if name in formats]


def plugin_writer(name: str) -> Callable[[BinaryIO, Table, Provenance], None]:
    """The function that writes the format. Raises SessionError if the plug-in does not work."""
    plugin = find_plugin("exporters", name)
    if plugin is None:
        raise SessionError(f"the plug-in for .{name} files does not work: see spec-o3 selftest")

    def write(file: BinaryIO, table: Table, provenance: Provenance) -> None:
        made = to_astropy(table, provenance)
        try:
            with in_plugin():
                plugin.value(file, made)
        except (WorkbenchError, OSError, StoppedError):
            raise
        except (Exception, SystemExit) as error:
            raise SessionError(str(report_failure(plugin, error))) from error
        if file.closed or (table.rows and not file.seek(0, SEEK_END)):
            problem = "it wrote nothing, or closed the file"
            raise SessionError(str(report(plugin.kind, plugin.name, plugin.package, problem)))

    return write


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
