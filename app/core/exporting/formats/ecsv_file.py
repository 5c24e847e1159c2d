"""Write ECSV 1.0 (APE 6): a YAML header with types, units and provenance, then CSV rows.

Not astropy's writer, which needs the whole table in memory: here a page is written after another,
so that a million candidates take no more room than a hundred, and a text with line breaks stays in
its line.
"""

from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from app.core.exporting.escapes import PERCENT, xml_percent
from app.core.exporting.formats.csv_file import (
    EscapeCache,
    cells_text,
    is_plain,
    lines_text,
    quoted,
)
from app.core.exporting.table import Kind, Table, TypedColumn
from app.core.session.provenance import Provenance


def yaml_line(value: object) -> str:
    """A value as YAML in one line of ASCII, with quoted texts and flow-style collections."""
    if isinstance(value, str):
        return yaml_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        pairs = (f"{yaml_text(str(key))}: {yaml_line(each)}" for key, each in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(yaml_line, value)) + "]"
    raise TypeError(f"cannot write {type(value).__name__} as YAML")


def yaml_text(text: str) -> str:
    return '"' + "".join(map(_character, text)) + '"'


def _character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if " " <= character <= "~":
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


DATATYPES: dict[Kind, str] = {"text": "string", "whole": "int64", "real": "float64", "flag": "bool"}


def write_ecsv(file: BinaryIO, table: Table, provenance: Provenance) -> None:
    escaped = [column.name for column in table.columns if column.is_escaped_in_xml]
    head = ["%ECSV 1.0", "---", "delimiter: ','", *yaml_lines(table, provenance, escaped)]
    head.append("schema: astropy-2.0")
    file.write("".join(f"# {line}\n" for line in head).encode("ascii"))
    names = ",".join(quoted(column.name) for column in table.columns)
    file.write((names + "\n").encode("utf-8", "replace"))
    caches = [
        # In a percent-encoded column any % must be encoded: no text is plain there.
        EscapeCache(lambda text: quoted(xml_percent(text)), lambda text: False)
        if column.is_escaped_in_xml
        else EscapeCache(quoted, is_plain)
        for column in table.columns
    ]
    for page in table.pages():
        cells = [
            cells_text(
                cells_page.as_texts() if column.kind == "text" else cells_page.as_list(), cache
            )
            for column, cells_page, cache in zip(table.columns, page, caches, strict=True)
        ]
        file.write(lines_text(cells).encode("utf-8"))


def yaml_lines(table: Table, provenance: Provenance, escaped: Sequence[str] = ()) -> list[str]:
    """The columns and the provenance, in the YAML that astropy also puts into other formats."""
    meta: dict[str, Any] = {"provenance": provenance.as_record()}
    if escaped:
        meta["percent_escaped"] = {"columns": escaped, "how": PERCENT}
    described = (f"- {yaml_line(_column_metadata(column))}" for column in table.columns)
    return ["datatype:", *described, f"meta: {yaml_line(meta)}"]


def _column_metadata(column: TypedColumn) -> dict[str, Any]:
    spec = column.spec
    described: dict[str, Any] = {"name": column.name, "datatype": DATATYPES[column.kind]}
    if spec.unit:
        described["unit"] = spec.unit
    if spec.description:
        described["description"] = spec.description
    meta = {"ucd": spec.ucd, "name_in_list": spec.given_name}
    if any(meta.values()):
        described["meta"] = {key: value for key, value in meta.items() if value}
    return described
