"""Parquet by pyarrow. Units and UCDs lie with each column, and in the file's metadata once as a
VOTable for TOPCAT and once as YAML for astropy; provenance as JSON beside them.

A text that is not there is empty, as in every other format; astropy knows no texts without value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any, BinaryIO

from app.core.errors import SessionError
from app.core.exporting.column_buffer import ColumnPage
from app.core.exporting.columns import Kind
from app.core.exporting.formats.ecsv_file import yaml_lines
from app.core.exporting.formats.votable_file import votable_header
from app.core.exporting.table import Shape, Table
from app.core.provenance import Provenance

ROWS_IN_GROUP = 100_000
EXTRA = "pip install 'spec-o3-workbench[formats]'"


def parquet_writer() -> Callable[[BinaryIO, Table, Provenance], None]:
    """What writes it; a SessionError where pyarrow is not installed."""
    try:
        pa, pq = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise SessionError(f"Parquet needs pyarrow: {EXTRA}, or export to FITS") from error
    return partial(_write, pa, pq)


def _write(pa: Any, pq: Any, file: BinaryIO, table: Table, facts: Provenance) -> None:
    schema = _schema(pa, table, facts)
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for pages in _groups(table):
            columns = [
                pa.chunked_array(
                    [_array(pa, shape, page[number]) for page in pages],
                    type=schema.field(number).type,
                )
                for number, shape in enumerate(table.shapes)
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


def _schema(pa: Any, table: Table, facts: Provenance) -> Any:
    fields = [
        pa.field(shape.name, _type(pa, shape.kind), metadata=_described(shape))
        for shape in table.shapes
    ]
    about = {
        "provenance": json.dumps(facts.as_record()),
        "table_meta_yaml": "\n".join(yaml_lines(table, facts)),
        **{f"table::len::{shape.name}": str(_width(table, n)) for n, shape in _texts(table)},
        "IVOA.VOTable-Parquet.version": "1.0",
        "IVOA.VOTable-Parquet.content": votable_header(table, facts),
    }
    return pa.schema(fields, metadata=about)


def _type(pa: Any, kind: Kind) -> Any:
    types = {"text": pa.string(), "whole": pa.int64(), "real": pa.float64(), "flag": pa.bool_()}
    return types[kind]


def _described(shape: Shape) -> dict[str, str]:
    column = shape.column
    said = {
        "unit": column.unit,
        "ucd": column.ucd,
        "description": column.description,
        "name_in_list": column.given_name,
    }
    return {key: value for key, value in said.items() if value}


def _groups(table: Table) -> Iterator[list[list[ColumnPage]]]:
    """Pages enough for a row group; one group without any where there are no rows."""
    group: list[list[ColumnPage]] = []
    rows = 0
    for page in table.pages():
        group.append(page)
        rows += page[0].rows
        if rows >= ROWS_IN_GROUP:
            yield group
            group, rows = [], 0
    if group or not table.rows:
        yield group


def _array(pa: Any, shape: Shape, block: ColumnPage) -> Any:
    if shape.kind == "text":
        return pa.array([_storable(text or "") for text in block.as_texts()], type=pa.string())
    values = block.as_numbers({"whole": "i8", "real": "f8", "flag": "?"}[shape.kind])
    return pa.array(values, type=_type(pa, shape.kind), mask=block.is_null())


def _texts(table: Table) -> list[tuple[int, Shape]]:
    return [(n, shape) for n, shape in enumerate(table.shapes) if shape.kind == "text"]


def _width(table: Table, number: int) -> int:
    """In characters; astropy's arrays are that wide."""
    stats = table.shapes[number].stats
    if stats.kinds <= {"text", "none"}:
        return max(1, stats.most_characters)
    every = (block.as_texts() for block in table.column(number))
    return max((len(text or "") for texts in every for text in texts), default=1)


def _storable(text: str) -> str:
    """Half of a character, which JSON can name, is none in UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
