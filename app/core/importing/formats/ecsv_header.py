"""Parse the column descriptions in the YAML header of an ECSV file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from app.core.errors import ImportFailed
from app.core.importing.formats.contents import MAX_COLUMNS, Kind, clean_words

FIRST = re.compile(r"# ?%ECSV\b")
MAX_HEADER = 256 * 1024
WANTED = ("delimiter", "datatype")
_KEY = re.compile(r"(\w+):")
_KINDS: dict[str, Kind] = {"bool": "bool", "string": "str"}
_NUMERIC: tuple[tuple[str, Kind], ...] = (("int", "int"), ("uint", "int"), ("float", "float"))


@dataclass(frozen=True)
class EcsvColumn:
    name: str
    kind: Kind | None = None
    unit: str = ""
    description: str = ""


@dataclass(frozen=True)
class EcsvHeader:
    """`lines` is the number of lines of the header."""

    delimiter: str
    columns: list[EcsvColumn]
    lines: int


def ecsv_header(text: str) -> EcsvHeader | None:
    """The header, None if the text is not ECSV."""
    if not FIRST.match(text):
        return None
    lines = text.split("\n")
    count = next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))
    header = _parsed(_wanted_part([line[2:] for line in lines[:count]]))
    delimiter = header.get("delimiter", " ")
    entries = header.get("datatype")
    if delimiter not in (" ", ","):
        raise ImportFailed("its ECSV header gives a delimiter that is neither blank nor comma")
    if not isinstance(entries, list) or not 1 <= len(entries) <= MAX_COLUMNS:
        raise ImportFailed("its ECSV header describes no columns")
    return EcsvHeader(delimiter, [_column(entry) for entry in entries], count)


def _wanted_part(lines: list[str]) -> str:
    """Only the needed keys: `meta` can be long."""
    kept, is_wanted = [], False
    for line in lines:
        if match := _KEY.match(line):
            is_wanted = match.group(1) in WANTED
        if is_wanted:
            kept.append(line)
    text = "\n".join(kept)
    if len(text) > MAX_HEADER:
        raise ImportFailed("its ECSV header is longer than 256 KB")
    return text


def _parsed(text: str) -> dict[str, Any]:
    yaml: Any = import_module("yaml")  # comes with astropy; slow to load

    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ImportFailed("its ECSV header is damaged: it is not valid YAML") from error
    if not isinstance(found, dict):
        raise ImportFailed("its ECSV header describes no columns")
    return found


def _column(entry: Any) -> EcsvColumn:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise ImportFailed("its ECSV header has a column without a name")
    datatype = str(entry.get("datatype", ""))[:20]
    kind = _KINDS.get(datatype) or next(
        (kind for prefix, kind in _NUMERIC if datatype.startswith(prefix)), "str"
    )
    unit, description = (str(entry.get(key) or "") for key in ("unit", "description"))
    return EcsvColumn(entry["name"], kind, clean_words(unit), clean_words(description))
