"""CSV: a line of names, then the rows; UTF-8, \\n, "" within quotes. Nothing else in the file.

Every program that knows CSV reads it as it is, so what a header would say (provenance, units,
types) lies beside it in `NAME-metadata.json`, where the W3C's "CSV on the web" has it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from app.core.exporting.columns import Column, Kind
from app.core.exporting.escapes import unformulaed
from app.core.exporting.formats.cells import Spelling, cells_text, is_plain, lines_text, quoted
from app.core.exporting.rows import Page
from app.core.provenance import Provenance

METADATA = "-metadata.json"
NOTE = (
    "A text that begins with = + - @, a tab, a line end or ' has one ' before it, so that no "
    "spreadsheet runs it; plain numbers have not."
)
_DATATYPES: dict[Kind, str] = {
    "text": "string",
    "whole": "integer",
    "real": "double",
    "flag": "boolean",
}


def write_csv(file: BinaryIO, columns: Sequence[Column], pages: Iterable[Page]) -> None:
    names = ",".join(_said(column.name) for column in columns)
    file.write(_bytes(names + "\n"))
    says = [Spelling(_said, is_plain) for _ in columns]
    for page in pages:
        cells = [cells_text(cells, say) for cells, say in zip(page, says, strict=True)]
        file.write(_bytes(lines_text(cells)))


def metadata_path(out: Path) -> Path:
    return out.with_name(out.name + METADATA)


def metadata(out: Path, columns: Sequence[Column], rows: int, facts: Provenance) -> str:
    """The text of the file beside the CSV."""
    record = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": out.name,
        "dialect": {"header": True, "delimiter": ",", "encoding": "utf-8"},
        "tableSchema": {"columns": [_described(column) for column in columns]},
        "notes": [{"rows": rows, "formulas": NOTE}, {"provenance": facts.as_record()}],
    }
    return json.dumps(record, indent=1) + "\n"


def _described(column: Column) -> dict[str, Any]:
    said: dict[str, Any] = {"name": column.name, "titles": column.name}
    if column.kind is not None:
        said["datatype"] = _DATATYPES[column.kind]
    for key in ("description", "unit", "ucd"):
        if value := getattr(column, key):
            said["dc:description" if key == "description" else f"schema:{key}"] = value
    return said


def _said(text: str) -> str:
    return quoted(unformulaed(text))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
