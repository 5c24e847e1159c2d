"""Write CSV: a header line and the rows, in UTF-8 with \\n line ends and doubled quotes.

The file contains nothing else, so that any program can read it. Units, types and provenance go into
`NAME-metadata.json` next to it, as in the W3C recommendation "CSV on the Web".
"""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from app.core.exporting.escapes import escape_formula
from app.core.exporting.formats.cells import EscapeCache, cells_text, is_plain, lines_text, quoted
from app.core.exporting.rows import Page
from app.core.exporting.table import Column, Kind
from app.core.session.provenance import Provenance

METADATA = "-metadata.json"
NOTE = (
    "Texts that begin with = + - @, a tab, a line end or ' have an extra ' before them, so that "
    "no spreadsheet runs them as formulas; plain numbers have none. So have these behind a ; or a "
    "tab or line end within a text, where some spreadsheets split it, and texts that begin with "
    "nan or inf, of which some readers make numbers."
)
_LIKE_NUMBER = re.compile(r"\s*(?:nan|inf)(?!(?:inity)?\s*\Z)", re.IGNORECASE)
"""Astropy's fast reader makes a column of nan of "nano-eye", in quotes, too."""
_DATATYPES: dict[Kind, str] = {
    "text": "string",
    "whole": "integer",
    "real": "double",
    "flag": "boolean",
}


def write_csv(file: BinaryIO, names: Sequence[str], pages: Iterable[Page]) -> int:
    """Returns the number of rows."""
    titles = (quoted(escape_formula(name)) for name in names)
    file.write(_bytes(",".join(titles) + "\n"))
    caches = [EscapeCache(_escape, _is_plain) for _ in names]
    rows = 0
    for page in pages:
        cells = [cells_text(cells, cache) for cells, cache in zip(page, caches, strict=True)]
        file.write(_bytes(lines_text(cells)))
        rows += len(cells[0])
    return rows


def metadata_path(out: Path) -> Path:
    return out.with_name(out.name + METADATA)


def metadata(out: Path, columns: Sequence[Column], rows: int, provenance: Provenance) -> str:
    record = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": out.name,
        "dialect": {"header": True, "delimiter": ",", "encoding": "utf-8"},
        "tableSchema": {"columns": [_column_metadata(column) for column in columns]},
        "notes": [{"rows": rows, "formulas": NOTE}, {"provenance": provenance.as_record()}],
    }
    return json.dumps(record, indent=1) + "\n"


def _column_metadata(column: Column) -> dict[str, Any]:
    described: dict[str, Any] = {"name": column.name, "titles": column.name}
    if column.kind is not None:
        described["datatype"] = _DATATYPES[column.kind]
    for key in ("description", "unit", "ucd"):
        if value := getattr(column, key):
            described["dc:description" if key == "description" else f"schema:{key}"] = value
    return described


def _escape(text: str) -> str:
    return quoted(f"'{text}" if _LIKE_NUMBER.match(text) else escape_formula(text))


def _is_plain(text: str) -> bool:
    return bool(is_plain(text)) and text[0] not in "nNiI"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
