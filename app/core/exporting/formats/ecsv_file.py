"""ECSV 1.0 (APE 6): the rows as CSV, before them types, units and provenance as YAML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from app.core.exporting.columns import Kind
from app.core.exporting.escapes import PERCENT, xml_percent
from app.core.exporting.formats.cells import Spelling, cells_text, is_plain, lines_text, quoted
from app.core.exporting.table import Shape, Table
from app.core.provenance import Provenance


def yaml_line(value: object) -> str:
    """Texts in double quotes and ASCII, numbers, truths, null; lists and mappings in brackets."""
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
    raise TypeError(f"no YAML for {type(value).__name__}")


def yaml_text(text: str) -> str:
    return '"' + "".join(map(_character, text)) + '"'


def _character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if " " <= character <= "~":
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


DATATYPES: dict[Kind, str] = {
    "text": "string",
    "whole": "int64",
    "real": "float64",
    "flag": "bool",
}


def write_ecsv(file: BinaryIO, table: Table, facts: Provenance) -> None:
    file.write(_header(table, facts).encode("ascii"))
    names = ",".join(quoted(shape.name) for shape in table.shapes)
    file.write((names + "\n").encode("utf-8", "replace"))
    says = [
        Spelling(_percent_said, _never) if _is_escaped(shape) else Spelling(quoted, is_plain)
        for shape in table.shapes
    ]
    for page in table.pages():
        cells = [
            cells_text(block.as_texts() if shape.kind == "text" else block.as_list(), say)
            for shape, block, say in zip(table.shapes, page, says, strict=True)
        ]
        file.write(lines_text(cells).encode("utf-8"))


def _header(table: Table, facts: Provenance) -> str:
    escaped = [shape.name for shape in table.shapes if _is_escaped(shape)]
    lines = ["%ECSV 1.0", "---", "delimiter: ','", *yaml_lines(table, facts, escaped)]
    return "".join(f"# {line}\n" for line in (*lines, "schema: astropy-2.0"))


def yaml_lines(table: Table, facts: Provenance, escaped: Sequence[str] = ()) -> list[str]:
    """The columns and the provenance, as astropy keeps them in other formats, too."""
    meta: dict[str, Any] = {"provenance": facts.as_record()}
    if escaped:
        meta["percent_escaped"] = {"columns": escaped, "how": PERCENT}
    described = (f"- {yaml_line(_described(shape))}" for shape in table.shapes)
    return ["datatype:", *described, f"meta: {yaml_line(meta)}"]


def _described(shape: Shape) -> dict[str, Any]:
    column = shape.column
    said: dict[str, Any] = {"name": shape.name, "datatype": DATATYPES[shape.kind]}
    if column.unit:
        said["unit"] = column.unit
    if column.description:
        said["description"] = column.description
    meta = {"ucd": column.ucd, "name_in_list": column.given_name}
    if any(meta.values()):
        said["meta"] = {key: value for key, value in meta.items() if value}
    return said


def _is_escaped(shape: Shape) -> bool:
    return shape.kind == "text" and not shape.stats.is_xml_text


def _percent_said(text: str) -> str:
    return quoted(xml_percent(text))


def _never(text: str) -> bool:
    """An escaped column is looked at letter by letter."""
    return False
