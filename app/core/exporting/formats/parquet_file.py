"""Write Parquet with pyarrow.

Units and UCDs are in the metadata of each column, and in the file metadata as a VOTable header for
TOPCAT and as YAML for astropy; the provenance is there as JSON. A missing text is written as an
empty one, as in the other formats, because astropy does not support missing texts.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any, BinaryIO

from app.core.errors import SessionError
from app.core.exporting.formats.ecsv_file import yaml_lines
from app.core.exporting.formats.votable_file import votable_header
from app.core.exporting.table import ColumnPage, Kind, Table, TypedColumn
from app.core.session.provenance import Provenance

ROWS_IN_GROUP = 100_000
EXTRA = 'pip install "spec-o3-workbench[formats]"'


def parquet_writer() -> Callable[[BinaryIO, Table, Provenance], None]:
    """The Parquet writer; raises SessionError if pyarrow is not installed."""
    try:
        pa, pq = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise SessionError(f"Parquet needs pyarrow: {EXTRA}, or export to FITS") from error
    return partial(_write, pa, pq)


def _write(pa: Any, pq: Any, file: BinaryIO, table: Table, provenance: Provenance) -> None:
    schema = _schema(pa, table, provenance)
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for pages in _groups(table):
            columns = [
                pa.chunked_array(
                    [_array(pa, column, page[number]) for page in pages],
                    type=schema.field(number).type,
                )
                for number, column in enumerate(table.columns)
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


def _schema(pa: Any, table: Table, provenance: Provenance) -> Any:
    fields = [
        pa.field(column.name, _type(pa, column.kind), metadata=_column_metadata(column))
        for column in table.columns
    ]
    about = {
        "provenance": json.dumps(provenance.as_record()),
        "table_meta_yaml": "\n".join(yaml_lines(table, provenance)),
        **{
            f"table::len::{column.name}": str(_width(table, number))
            for number, column in enumerate(table.columns)
            if column.kind == "text"
        },
        "IVOA.VOTable-Parquet.version": "1.0",
        "IVOA.VOTable-Parquet.content": votable_header(table, provenance),
    }
    return pa.schema(fields, metadata=about)


def _type(pa: Any, kind: Kind) -> Any:
    types = {"text": pa.string(), "whole": pa.int64(), "real": pa.float64(), "flag": pa.bool_()}
    return types[kind]


def _column_metadata(column: TypedColumn) -> dict[str, str]:
    spec = column.spec
    described = {"unit": spec.unit, "ucd": spec.ucd, "description": spec.description}
    described["name_in_list"] = spec.given_name
    return {key: value for key, value in described.items() if value}


def _groups(table: Table) -> Iterator[list[list[ColumnPage]]]:
    """Pages collected into row groups; a single empty group if there are no rows."""
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


def _array(pa: Any, column: TypedColumn, cells: ColumnPage) -> Any:
    if column.kind == "text":
        return pa.array([_storable(text or "") for text in cells.as_texts()], type=pa.string())
    values = cells.as_numbers({"whole": "i8", "real": "f8", "flag": "?"}[column.kind])
    return pa.array(values, type=_type(pa, column.kind), mask=cells.is_null())


def _width(table: Table, number: int) -> int:
    """Width of a text column in characters, which astropy needs for its arrays."""
    stats = table.columns[number].stats
    if stats.kinds <= {"text", "none"}:
        return max(1, stats.most_characters)
    columns_texts = (cells.as_texts() for cells in table.column(number))
    return max((len(text or "") for texts in columns_texts for text in texts), default=1)


def _storable(text: str) -> str:
    """Replace lone surrogates, which JSON allows but UTF-8 does not."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
