"""Write VOTable 1.4 with TABLEDATA; a missing value is an empty cell, NaN is written as NaN.

Not astropy's writer, which needs the whole table in memory, and writes characters that XML forbids
as they are: no parser then reads the file, its own neither.
"""

import re
from collections.abc import Callable, Iterable
from math import inf
from typing import Any, BinaryIO
from xml.sax.saxutils import escape

from app.core.exporting.escapes import PERCENT, replace_invalid_xml, xml_percent
from app.core.exporting.table import ColumnPage, Kind, Table, TypedColumn
from app.core.session.provenance import Provenance

DATATYPES: dict[Kind, str] = {
    "text": 'datatype="unicodeChar" arraysize="*"',
    "whole": 'datatype="long"',
    "real": 'datatype="double"',
    "flag": 'datatype="boolean"',
}
ASCII = 'datatype="char" arraysize="*"'
_UCD = re.compile(r"[A-Za-z0-9_.;-]+")


def write_votable(file: BinaryIO, table: Table, provenance: Provenance) -> None:
    escaped = (column.name for column in table.columns if column.is_escaped_in_xml)
    file.write((_head(table, provenance, escaped) + "<DATA><TABLEDATA>\n").encode())
    formatters = [_formatter(column) for column in table.columns]
    for page in table.pages():
        cells = [formatter(cells) for formatter, cells in zip(formatters, page, strict=True)]
        rows = map("</TD><TD>".join, zip(*cells, strict=True))
        file.write("".join(f"<TR><TD>{row}</TD></TR>\n" for row in rows).encode())
    file.write(b"</TABLEDATA></DATA>\n</TABLE>\n</RESOURCE>\n</VOTABLE>\n")


def votable_header(table: Table, provenance: Provenance) -> str:
    """A VOTable without data, for the metadata of Parquet."""
    return _head(table, provenance) + "</TABLE>\n</RESOURCE>\n</VOTABLE>\n"


def _head(table: Table, provenance: Provenance, escaped: Iterable[str] = ()) -> str:
    infos = [_info(name, value) for name, value in provenance.as_pairs()]
    infos += [_info("percent_escaped", f"{name}: {PERCENT}") for name in escaped]
    about = f"Candidates of {provenance.session_name}, vetted for {provenance.task_name}"
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3">',
            '<RESOURCE type="results">',
            *infos,
            f'<TABLE name="candidates" nrows="{table.rows}">',
            f"<DESCRIPTION>{_escaped_text(about)}</DESCRIPTION>",
            *map(_field, table.columns),
            "",
        ]
    )


def _field(column: TypedColumn) -> str:
    spec = column.spec
    is_ascii = column.kind == "text" and column.stats.is_ascii
    datatype = ASCII if is_ascii else DATATYPES[column.kind]
    field = f'<FIELD name="{_attribute(column.name)}" {datatype}'
    if spec.unit:
        # The VOUnit standard has deprecated this name, which FITS wants.
        unit = "0.1nm" if spec.unit == "Angstrom" else spec.unit
        field += f' unit="{_attribute(unit)}"'
    if _UCD.fullmatch(spec.ucd):
        field += f' ucd="{spec.ucd}"'
    if column.name == "decided_at":
        field += ' xtype="timestamp"'
    description = spec.description
    if spec.given_name:
        description = f"{description} (in the list: {spec.given_name})".strip()
    if not description:
        return f"{field}/>"
    return f"{field}><DESCRIPTION>{_escaped_text(description)}</DESCRIPTION></FIELD>"


def _info(name: str, value: str) -> str:
    return f'<INFO name="{_attribute(name)}" value="{_attribute(value)}"/>'


def _formatter(column: TypedColumn) -> Callable[[ColumnPage], list[str]]:
    if column.kind != "text":
        return _flags if column.kind == "flag" else _numbers
    encode = xml_percent if column.is_escaped_in_xml else str
    return lambda cells: [escape(encode(text)) if text else "" for text in cells.as_texts()]


def _numbers(cells: ColumnPage) -> list[str]:
    return ["" if value is None else number_text(value) for value in cells.as_list()]


def number_text(value: Any) -> str:
    if value != value:
        return "NaN"
    return f"{'+' if value > 0 else '-'}Inf" if value in (inf, -inf) else repr(value)


def _flags(cells: ColumnPage) -> list[str]:
    return ["" if value is None else "T" if value else "F" for value in cells.as_list()]


def _escaped_text(text: str) -> str:
    return escape(replace_invalid_xml(text))


def _attribute(text: str) -> str:
    return _escaped_text(text).replace('"', "&quot;")
