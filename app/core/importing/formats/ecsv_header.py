"""Parse the column descriptions in the YAML header of an ECSV file."""

import re
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from agent.checked_yaml import NotPlain, plain_events
from app.core.errors import ImportFailed
from app.core.importing.formats.contents import MAX_COLUMNS, Kind, clean_words

FIRST = re.compile(r"# ?%ECSV\b")
MAX_HEADER = 256 * 1024
MAX_LINES = 100_000
WANTED = ("delimiter", "datatype")
NULLS = ("", "~", "null", "Null", "NULL")
_HEADER_LINES = re.compile(r"(?:#[^\n]*+\n?)*+")
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
    delimiter: str
    columns: list[EcsvColumn]


def ecsv_header(text: str) -> EcsvHeader | None:
    """The header, None if the text is not ECSV."""
    if not FIRST.match(text):
        return None
    found = _HEADER_LINES.match(text)
    assert found is not None
    if found.group().count("\n") > MAX_LINES:
        raise ImportFailed(f"its ECSV header has more than {MAX_LINES:,} lines")
    lines = found.group().removesuffix("\n").split("\n")
    header = _parsed(_wanted_part([line[2:] for line in lines]))
    delimiter = header.get("delimiter", " ")
    entries = header.get("datatype")
    if delimiter not in (" ", ","):
        raise ImportFailed("its ECSV header gives a delimiter that is neither blank nor comma")
    if not isinstance(entries, list) or not 1 <= len(entries) <= MAX_COLUMNS:
        raise ImportFailed("its ECSV header describes no columns")
    return EcsvHeader(delimiter, [_column(entry) for entry in entries])


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
        found = _PlainYaml(yaml, text).document()
    except NotPlain as error:
        raise ImportFailed(f"its ECSV header {error}") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise ImportFailed("its ECSV header is damaged: it is not valid YAML") from error
    if not isinstance(found, dict):
        raise ImportFailed("its ECSV header describes no columns")
    return found


_TAGGED = object()
"""Stands for a value with a tag, as astropy writes for what else it knows about a column."""


class _PlainYaml:
    """Texts, lists and tables of YAML as they stand: nothing is converted or merged."""

    def __init__(self, yaml: Any, text: str) -> None:
        self._yaml = yaml
        self._events = plain_events(text)

    def document(self) -> Any:
        """The value of the only document; None if there is none. Raises YAMLError."""
        yaml = self._yaml
        next(self._events)  # the stream starts
        if isinstance(next(self._events), yaml.StreamEndEvent):
            return None
        found = self._value(next(self._events))
        next(self._events)  # the document ends
        if not isinstance(next(self._events), yaml.StreamEndEvent):
            raise ImportFailed("its ECSV header is damaged: it has several parts")
        return found

    def _value(self, event: Any) -> Any:
        """The value that begins with `event`: a text, list, dict, None or _TAGGED."""
        yaml = self._yaml
        value: Any
        if isinstance(event, yaml.SequenceStartEvent):
            value = []
            while not isinstance(item := next(self._events), yaml.SequenceEndEvent):
                value.append(self._value(item))
        elif isinstance(event, yaml.MappingStartEvent):
            value = {}
            while not isinstance(key := next(self._events), yaml.MappingEndEvent):
                name = self._value(key)
                if not isinstance(name, str) or (name == "<<" and key.implicit[0]):
                    raise ImportFailed("its ECSV header has a key that is no plain text")
                value[name] = self._value(next(self._events))
        else:
            value = None if event.implicit[0] and event.value in NULLS else event.value
        return value if event.tag is None else _TAGGED


def _column(entry: Any) -> EcsvColumn:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise ImportFailed("its ECSV header has a column without a name")
    datatype = _text(entry, "datatype")
    kind = _KINDS.get(datatype) or next(
        (kind for prefix, kind in _NUMERIC if datatype.startswith(prefix)), "str"
    )
    unit, description = (clean_words(_text(entry, key)) for key in ("unit", "description"))
    return EcsvColumn(entry["name"], kind, unit, description)


def _text(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    if value is not None and not isinstance(value, str):
        raise ImportFailed(f"its ECSV header gives a column a {key} that is no plain text")
    return value or ""
