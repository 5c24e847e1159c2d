"""Read Parquet with pyarrow, if it is installed, in batches of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from app.core.errors import ImportFailed
from app.core.importing.formats.contents import (
    INT64,
    MAX_COLUMNS,
    Kind,
    ListColumn,
    RowBlock,
    TypedCells,
    Value,
    clean,
    clean_words,
    column_names,
    floats,
    left_out_warning,
    short_floats,
)

BATCH = 2000
MAX_GROUP_BYTES = 256 * 1024**2
"""Largest uncompressed size of one column in a row group; pyarrow holds it in memory."""
MAX_METADATA = 64 * 1024 * 1024


class ParquetList:
    format = "Parquet"

    def __init__(self, path: Path) -> None:
        if find_spec("pyarrow") is None:
            raise ImportFailed("reading Parquet needs pyarrow: pip install pyarrow")
        self._path = path
        with _opened(path) as file:
            schema = file.schema_arrow
            if len(schema) > MAX_COLUMNS:
                raise ImportFailed(f"it has {len(schema):,} columns, more than {MAX_COLUMNS:,}")
            if len(set(schema.names)) < len(schema):
                raise ImportFailed("two of its columns have the same name")
            _check_group_sizes(file.metadata)
            kinds = {field.name: _kind(field.type) for field in schema}
            fields = [field for field in schema if kinds[field.name] and not _is_index(field.name)]
            if not fields:
                raise ImportFailed("it has no columns with single values")
            self._left_out = len(schema) - len(fields)
            self._given = [field.name for field in fields]
            self._texts = [field.name for field in fields if _is_text(field.type)]
            names = column_names(self._given)
            self.columns = tuple(
                ListColumn(
                    name=name, kind=kinds[field.name] or "str", **_column_metadata(field.metadata)
                )
                for name, field in zip(names, fields, strict=True)
            )
            self.estimate: int | None = file.metadata.num_rows

    def recheck_types(self) -> None:
        """Nothing to do: Parquet columns are typed."""

    def warnings(self) -> list[str]:
        return left_out_warning(self._left_out)

    def blocks(self) -> Iterator[RowBlock]:
        line = 1
        with _opened(self._path, self._texts) as file:
            batches = file.iter_batches(BATCH, columns=self._given, use_threads=False)
            while (cells := self._next_cells(batches)) is not None:
                count = len(cells[0].values())
                yield RowBlock(range(line, line + count), cells)
                line += count

    def _next_cells(self, batches: Iterator[Any]) -> list[TypedCells] | None:
        with _arrow_errors():
            batch = next(batches, None)
            if batch is None:
                return None
            return [
                TypedCells(_values(batch.column(name), column.kind), column.kind)
                for name, column in zip(self._given, self.columns, strict=True)
            ]


@contextmanager
def _opened(path: Path, as_dictionaries: list[str] | None = None) -> Iterator[Any]:
    parquet: Any = import_module("pyarrow.parquet")

    with _arrow_errors():
        file = parquet.ParquetFile(
            path,
            memory_map=False,
            pre_buffer=False,
            read_dictionary=as_dictionaries,
            thrift_string_size_limit=MAX_METADATA,
            thrift_container_size_limit=1_000_000,
        )
    with file:
        yield file


@contextmanager
def _arrow_errors() -> Iterator[None]:
    """Turn the errors of Arrow into short ImportFailed."""
    pyarrow: Any = import_module("pyarrow")

    try:
        yield
    except (pyarrow.ArrowException, OSError, ValueError, MemoryError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ImportFailed(f"it is damaged, or pyarrow cannot read it: {reason}") from (error)


def _check_group_sizes(metadata: Any) -> None:
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for column in range(group.num_columns):
            if group.column(column).total_uncompressed_size > MAX_GROUP_BYTES:
                raise ImportFailed(
                    "a column of a row group is larger than 256 MB: rewrite the file with smaller "
                    "row groups"
                )


def _kind(type_: Any) -> Kind | None:
    """The kind of a column; None if it does not contain single values."""
    types: Any = import_module("pyarrow.types")

    if types.is_dictionary(type_):
        return "str" if _kind(type_.value_type) == "str" else None
    if types.is_boolean(type_):
        return "bool"
    if types.is_integer(type_):
        return "int"
    if types.is_floating(type_) or types.is_decimal(type_):
        return "float"
    return "str" if _is_text(type_) or types.is_temporal(type_) else None


def _is_text(type_: Any) -> bool:
    types: Any = import_module("pyarrow.types")

    return bool(types.is_string(type_) or types.is_large_string(type_))


def _is_index(name: str) -> bool:
    """Whether it is the row index that pandas adds."""
    return name.startswith("__index_level_")


def _column_metadata(metadata: Mapping[bytes, bytes] | None) -> dict[str, str]:
    texts = {
        key.decode("utf-8", "replace").lower(): value for key, value in (metadata or {}).items()
    }
    return {
        key: clean_words(texts.get(key, b"").decode("utf-8", "replace")[:2000])
        for key in ("unit", "description", "ucd")
    }


def _values(array: Any, kind: Kind) -> list[Value]:
    pyarrow: Any = import_module("pyarrow")

    if pyarrow.types.is_dictionary(array.type):
        # A dictionary may be large: decode only the entries used in these rows.
        used = array.indices.unique().drop_null()
        texts = [None if v is None else clean(v) for v in array.dictionary.take(used).to_pylist()]
        text_of: dict[int | None, str | None] = dict(zip(used.to_pylist(), texts, strict=True))
        return [text_of.get(each) for each in array.indices.to_pylist()]
    if kind == "float" and pyarrow.types.is_floating(array.type):
        numbers = array.to_numpy(zero_copy_only=False).astype(array.type.to_pandas_dtype())
        return floats(numbers) if pyarrow.types.is_float64(array.type) else short_floats(numbers)
    values = array.to_pylist()
    if kind == "float":
        return floats(np.array([np.nan if v is None else float(v) for v in values]))
    if kind == "int":
        return [None if v is None or abs(v) >= INT64 else v for v in values]
    if kind == "bool":
        return list(values)
    return [None if v is None else clean(v if isinstance(v, str) else str(v)) for v in values]
