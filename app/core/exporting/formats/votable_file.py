"""VOTable 1.4, TABLEDATA: an empty cell is no value, NaN is NaN."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import Any, BinaryIO

from app.core.exporting.column_buffer import ColumnPage
from app.core.exporting.columns import Kind
from app.core.exporting.escapes import PERCENT, xml_percent, xml_words
from app.core.exporting.table import Shape, Table
from app.core.provenance import Provenance

DATATYPES: dict[Kind, str] = {
    "text": 'datatype="unicodeChar" arraysize="*"',
    "whole": 'datatype="long"',
    "real": 'datatype="double"',
    "flag": 'datatype="boolean"',
}
ASCII = 'datatype="char" arraysize="*"'
_UCD = re.compile(r"[A-Za-z0-9_.;-]+")
_MARKUP = re.compile(r"[&<>]")
_NAMES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def write_votable(file: BinaryIO, table: Table, facts: Provenance) -> None:
    file.write((_head(table, facts, _escaped(table)) + "<DATA><TABLEDATA>\n").encode())
    says = [_say(shape) for shape in table.shapes]
    for page in table.pages():
        cells = [say(block) for say, block in zip(says, page, strict=True)]
        rows = map("</TD><TD>".join, zip(*cells, strict=True))
        file.write("".join(f"<TR><TD>{row}</TD></TR>\n" for row in rows).encode())
    file.write(b"</TABLEDATA></DATA>\n</TABLE>\n</RESOURCE>\n</VOTABLE>\n")


def votable_header(table: Table, facts: Provenance) -> str:
    """A VOTable of the columns alone, as goes into Parquet."""
    return _head(table, facts) + "</TABLE>\n</RESOURCE>\n</VOTABLE>\n"


def _head(table: Table, facts: Provenance, escaped: Iterable[str] = ()) -> str:
    infos = [_info(name, value) for name, value in facts.as_pairs()]
    infos += [_info("percent_escaped", f"{name}: {PERCENT}") for name in escaped]
    about = f"Candidates of {facts.session_name}, vetted for {facts.task_name}"
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3">',
            '<RESOURCE type="results">',
            *infos,
            f'<TABLE name="candidates" nrows="{table.rows}">',
            f"<DESCRIPTION>{_words(about)}</DESCRIPTION>",
            *map(_field, table.shapes),
            "",
        ]
    )


def _field(shape: Shape) -> str:
    column = shape.column
    is_ascii = shape.kind == "text" and shape.stats.is_ascii
    datatype = ASCII if is_ascii else DATATYPES[shape.kind]
    said = f'<FIELD name="{_attribute(shape.name)}" {datatype}'
    if column.unit:
        said += f' unit="{_attribute(column.unit)}"'
    if _UCD.fullmatch(column.ucd):
        said += f' ucd="{column.ucd}"'
    if shape.name == "decided_at":
        said += ' xtype="timestamp"'
    words = column.description
    if column.given_name:
        words = f"{words} (in the list: {column.given_name})".strip()
    return f"{said}><DESCRIPTION>{_words(words)}</DESCRIPTION></FIELD>" if words else f"{said}/>"


def _info(name: str, value: str) -> str:
    return f'<INFO name="{_attribute(name)}" value="{_attribute(value)}"/>'


def _escaped(table: Table) -> Iterator[str]:
    return (shape.name for shape in table.shapes if _is_escaped(shape))


def _is_escaped(shape: Shape) -> bool:
    return shape.kind == "text" and not shape.stats.is_xml_text


def _say(shape: Shape) -> Callable[[ColumnPage], list[str]]:
    if shape.kind != "text":
        return _flags if shape.kind == "flag" else _numbers
    escape = xml_percent if _is_escaped(shape) else str
    return lambda block: [_cell(escape(text)) if text else "" for text in block.as_texts()]


def _numbers(block: ColumnPage) -> list[str]:
    return ["" if value is None else _number(value) for value in block.as_list()]


def _number(value: Any) -> str:
    if value != value:
        return "NaN"
    return f"{'+' if value > 0 else '-'}Inf" if value in (inf, -inf) else repr(value)


def _flags(block: ColumnPage) -> list[str]:
    return ["" if value is None else "T" if value else "F" for value in block.as_list()]


def _cell(text: str) -> str:
    return _MARKUP.sub(_named, text)


def _named(found: re.Match[str]) -> str:
    return _NAMES[found.group()]


def _words(text: str) -> str:
    return _cell(xml_words(text))


def _attribute(text: str) -> str:
    return _cell(xml_words(text)).replace('"', "&quot;")
