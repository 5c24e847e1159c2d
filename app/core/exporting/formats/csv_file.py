"""Write CSV: a header line and the rows, in UTF-8 with \\n line ends and doubled quotes.

The file contains nothing else, so that any program can read it. Units, types and provenance go into
`NAME-metadata.json` next to it, as in the W3C recommendation "CSV on the Web".
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, BinaryIO

from app.core.exporting.escapes import escape_formula
from app.core.exporting.rows import Page
from app.core.exporting.table import Column, Kind, text_of
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
    escaped = escape_formula(text)
    return quoted(f"'{escaped}" if _LIKE_NUMBER.match(escaped) else escaped)


def _is_plain(text: str) -> bool:
    return bool(is_plain(text)) and text[0] not in "nNiI"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


# Cells as text, for ECSV too.
MAX_CACHED = 4096

_QUOTED = re.compile(r"[\",\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|\A\s|\s\Z|\A#")

# Matches only texts that need no escaping, in a single fast pass.
_PLAIN = re.compile(
    r"[^=+\-@＝＋－＠'#\s\",;\x1c-\x1e\x85\u2028\u2029]"
    r"[^\",;\t\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]*(?<!\s)"
)
is_plain = _PLAIN.fullmatch


def quoted(text: str) -> str:
    """The text in quotes if a reader might otherwise split it or take it for a comment."""
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


class EscapeCache(dict[str, str]):
    """Escapes texts and caches the results, since many columns have few distinct values.

    `is_plain` is a fast check that is true only for texts that `escape` returns unchanged.
    """

    def __init__(self, escape: Callable[[str], str], is_plain: Callable[[str], object]) -> None:
        super().__init__()
        self._escape = escape
        self._is_plain = is_plain

    def __missing__(self, text: str) -> str:
        escaped = self._escape(text)
        if len(self) < MAX_CACHED:
            self[text] = escaped
        return escaped

    def all(self, texts: Sequence[str]) -> list[str]:
        if len(self) < MAX_CACHED:
            return [self[text] for text in texts]
        escape, is_plain = self._escape, self._is_plain
        return [text if is_plain(text) else escape(text) for text in texts]


def cells_text(cells: Sequence[Any], cache: EscapeCache) -> list[str]:
    """The texts of one column of a page; empty for missing values."""
    types = set(map(type, cells))
    has_missing = NoneType in types
    types.discard(NoneType)
    if not types:
        return [""] * len(cells)
    if types == {str}:
        texts = ["" if cell is None else cell for cell in cells] if has_missing else cells
        return cache.all(texts)
    if types in ({float}, {int}, {bool}):
        if has_missing:
            return ["" if cell is None else repr(cell) for cell in cells]
        return list(map(repr, cells))
    return ["" if cell is None else cache[text_of(cell)] for cell in cells]


def lines_text(columns: Sequence[Sequence[str]]) -> str:
    return "\n".join(map(",".join, zip(*columns, strict=True))) + "\n"
