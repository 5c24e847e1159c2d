"""Read Parquet with pyarrow, if it is installed, in batches of rows.

A few bytes may stand for very many: rows repeat a long text that a dictionary holds once, and pages
are compressed. Sizes are checked before pyarrow unpacks, and again before Python objects are made.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from agent.spectra.fits.source_file import MAX_RATIO, open_regular
from app.core.errors import ImportFailed, counted_text
from app.core.importing.formats import contents
from app.core.importing.formats.contents import Kind, ListColumn, RowBlock, Value

BATCH = 2000
MAX_GROUP_BYTES = 256 * 1024**2  # largest uncompressed size of one column in a row group
FREE_BYTES = 64 * 1024**2  # a file may unpack to this much, however small it is
MAX_METADATA = 64 * 1024**2
MAX_CHUNKS = 500_000  # Columns times row groups; pyarrow takes about a kilobyte for each.
MAX_DICTIONARY = 2 * 1024**2
"""pyarrow copies a dictionary for each batch: a large one, of texts that are all new, is slow."""
DICTIONARY_ENCODINGS = frozenset(("PLAIN", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "RLE"))
"""pyarrow reads no others with a dictionary."""
MAX_BLOCK = 8 * 1024**2
MAX_ROW = 1024**2
NUMBER_BYTES = 8
BUFFER = 64 * 1024
"""With a buffer, pyarrow reads page by page; without, all of a column of a row group at once."""

UNREADABLE = (ArithmeticError, ValueError, LookupError)
"""As Python cannot hold it: a date before year 1 or after 9999, or of an unknown time zone."""


class ParquetList(contents.TypedList):
    format = "Parquet"

    def __init__(self, path: Path) -> None:
        if find_spec("pyarrow") is None:
            raise ImportFailed("reading Parquet needs pyarrow: pip install pyarrow")
        self.path = path
        with opened_parquet(path) as (file, size):
            schema = file.schema_arrow
            if len(schema) > contents.MAX_COLUMNS:
                raise ImportFailed(
                    f"it has {len(schema):,} columns, more than {contents.MAX_COLUMNS:,}"
                )
            if len(set(schema.names)) < len(schema):
                raise ImportFailed("two of its columns have the same name")
            without_dictionary = _checked_columns(file.metadata, size)
            kinds = {field.name: kind_of(field.type) for field in schema}
            # pandas adds the index of its rows.
            given = [field for field in schema if not field.name.startswith("__index_level_")]
            fields = [field for field in given if kinds[field.name]]
            if not fields:
                raise ImportFailed("it has no columns with single values")
            self.left_out = len(schema) - len(fields)
            self.given = [field.name for field in fields]
            self.texts = frozenset(field.name for field in fields if is_text(field.type))
            # With its dictionary, a text that many rows repeat is made once.
            self._as_dictionaries = [
                name for name in self.given if name in self.texts - without_dictionary
            ]
            names = contents.column_names(self.given)
            self.columns = tuple(
                ListColumn(
                    name=name, kind=kinds[field.name] or "str", **_column_metadata(field.metadata)
                )
                for name, field in zip(names, fields, strict=True)
            )
            # A row also takes the names of its columns when it is stored.
            self._row_bytes = sum(len(name.encode()) + NUMBER_BYTES for name in names)
            self._unreadable = 0
            rows = file.metadata.num_rows
            self.estimate: int | None = rows if 0 <= rows <= contents.MAX_ROWS else None

    def warnings(self) -> list[str]:
        found = super().warnings()
        if self._unreadable:
            cells = counted_text(self._unreadable, "cell")
            found.append(f"left {cells} empty, as dates out of range")
        return found

    def blocks(self) -> Iterator[RowBlock]:
        line = 1
        self._unreadable = 0
        with opened_parquet(self.path, self._as_dictionaries) as (file, _):
            batches = file.iter_batches(BATCH, columns=self.given, use_threads=False)
            while (batch := next_batch(batches)) is not None:
                for start, end in self._pieces(batch, line):
                    cells = self._cells(batch.slice(start, end - start))
                    yield RowBlock(range(line + start, line + end), cells)
                line += len(batch)

    def _pieces(self, batch: Any, line: int) -> Iterator[tuple[int, int]]:
        """Starts and ends of pieces of a batch that hold at most MAX_BLOCK bytes."""
        sizes = np.full(len(batch), self._row_bytes, np.int64)
        with arrow_errors():
            for name in self.given:
                sizes += text_bytes(batch.column(name))
        large = np.flatnonzero(sizes > MAX_ROW)
        if large.size:
            raise ImportFailed(
                f"row {line + int(large[0]):,} holds more than 1 MB: save it without its longest "
                "column"
            )
        ends = sizes.cumsum()
        start = 0
        while start < len(batch):
            limit = int(ends[start] - sizes[start]) + MAX_BLOCK
            end = int(np.searchsorted(ends, limit, "right"))
            yield start, end
            start = end

    def _cells(self, batch: Any) -> list[contents.TypedCells]:
        cells = []
        for name, column in zip(self.given, self.columns, strict=True):
            with arrow_errors():
                values, unreadable = values_of(batch.column(name), column.kind)
            self._unreadable += unreadable
            cells.append(contents.TypedCells(values, column.kind))
        return cells


@contextmanager
def opened_parquet(path: Path, as_dictionaries: Sequence[str] = ()) -> Iterator[tuple[Any, int]]:
    """The open file, and its size in bytes."""
    parquet: Any = import_module("pyarrow.parquet")
    with contents.import_errors():
        stream, size = open_regular(path)
    with stream:
        with arrow_errors():
            _check_footer(stream, size)
            file = parquet.ParquetFile(
                stream,
                memory_map=False,
                pre_buffer=False,
                buffer_size=BUFFER,
                read_dictionary=list(as_dictionaries),
                thrift_string_size_limit=MAX_METADATA,
                thrift_container_size_limit=1_000_000,
            )
        with file:
            yield file, size


def _check_footer(stream: BinaryIO, size: int) -> None:
    """The file ends with the length of its metadata, which pyarrow reads at once, and a mark."""
    stream.seek(max(0, size - 8))
    length = int.from_bytes(stream.read(4), "little")
    stream.seek(0)
    if length > MAX_METADATA:
        raise ImportFailed("its metadata take more than 64 MB, or it is damaged")


def next_batch(batches: Iterator[Any]) -> Any:
    with arrow_errors():
        return next(batches, None)


@contextmanager
def arrow_errors() -> Iterator[None]:
    """Turn the errors of Arrow into short ImportFailed."""
    pyarrow: Any = import_module("pyarrow")
    try:
        yield
    except MemoryError as error:
        raise ImportFailed(
            "reading it takes too much memory: save it with smaller row groups"
        ) from error
    except (pyarrow.ArrowException, OSError, ValueError, LookupError, ArithmeticError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ImportFailed(f"it is damaged, or pyarrow cannot read it: {reason}") from error


def _checked_columns(metadata: Any, size: int) -> set[str]:
    """The columns not to be read with their dictionaries. Refuses what is too large."""
    if metadata.num_row_groups * metadata.num_columns > MAX_CHUNKS:
        raise ImportFailed(
            f"it has more than {MAX_CHUNKS:,} pieces: save it with larger row groups"
        )
    total, without = 0, set[str]()
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for column in range(group.num_columns):
            chunk = group.column(column)
            unpacked = chunk.total_uncompressed_size
            total += max(0, unpacked)
            if unpacked > MAX_DICTIONARY or not DICTIONARY_ENCODINGS.issuperset(chunk.encodings):
                without.add(chunk.path_in_schema)
            if unpacked > MAX_GROUP_BYTES:
                raise ImportFailed(
                    "a column of a row group is larger than 256 MB: rewrite the file with smaller "
                    "row groups"
                )
    if total > max(FREE_BYTES, MAX_RATIO * size):
        raise ImportFailed(f"it unpacks to more than {MAX_RATIO} times its size")
    return without


def _column_metadata(metadata: Mapping[bytes, bytes] | None) -> dict[str, str]:
    texts = {
        key.decode("utf-8", "replace").lower(): value for key, value in (metadata or {}).items()
    }
    return {
        key: contents.clean_words(texts.get(key, b"").decode("utf-8", "replace")[:2000])
        for key in ("unit", "description", "ucd")
    }


# Kinds, sizes and values of Arrow columns.
def kind_of(type_: Any) -> Kind | None:
    """The kind of a column; None if it does not contain single values."""
    types: Any = import_module("pyarrow.types")
    if types.is_dictionary(type_):
        return "str" if kind_of(type_.value_type) == "str" else None
    if types.is_boolean(type_):
        return "bool"
    if types.is_integer(type_):
        return "int"
    if types.is_floating(type_) or types.is_decimal(type_):
        return "float"
    return "str" if is_text(type_) or types.is_temporal(type_) else None


def is_text(type_: Any) -> bool:
    types: Any = import_module("pyarrow.types")
    return bool(types.is_string(type_) or types.is_large_string(type_))


def text_bytes(array: Any) -> NDArray[Any] | int:
    """The length of each text, without making it; 0 for columns of other types."""
    compute: Any = import_module("pyarrow.compute")
    types: Any = import_module("pyarrow.types")
    if types.is_dictionary(array.type) and is_text(array.type.value_type):
        lengths = compute.take(compute.binary_length(array.dictionary), array.indices)
    elif is_text(array.type):
        lengths = compute.binary_length(array)
    else:
        return 0
    return numbers_of(lengths, 0)


def values_of(array: Any, kind: Kind) -> tuple[list[Value], int]:
    """The values, and how many had to be left out because Python cannot hold them."""
    types: Any = import_module("pyarrow.types")
    if types.is_dictionary(array.type) and is_text(array.type.value_type):
        return _texts(array), 0
    if is_text(array.type):
        return [None if text is None else contents.clean(text) for text in array.to_pylist()], 0
    if kind == "float" and types.is_floating(array.type):
        as_written = contents.floats if types.is_float64(array.type) else contents.short_floats
        return as_written(numbers_of(array, math.nan)), 0
    values, left_out = _python_values(array)
    if kind == "float":
        values = contents.floats(np.array([np.nan if v is None else float(v) for v in values]))
    elif kind == "int":
        values = [None if v is None or abs(v) >= contents.INT64 else v for v in values]
    elif kind == "str":
        values = [None if v is None else str(v) for v in values]
    return values, left_out


def numbers_of(array: Any, null: float) -> NDArray[Any]:
    """The numbers of a column. Array.to_numpy would import pandas, which takes half a second."""
    compute: Any = import_module("pyarrow.compute")
    pyarrow: Any = import_module("pyarrow")
    if array.null_count:
        array = compute.fill_null(array, pyarrow.scalar(null, array.type))
    return np.from_dlpack(array)


def _texts(array: Any) -> list[Value]:
    # A dictionary may be large: decode only the entries used in these rows.
    used = array.indices.unique().drop_null()
    texts: list[str | None] = array.dictionary.take(used).to_pylist()
    cleaned = [None if text is None else contents.clean(text) for text in texts]
    text_of: dict[int | None, str | None] = dict(zip(used.to_pylist(), cleaned, strict=True))
    return [text_of.get(each) for each in array.indices.to_pylist()]


def _python_values(array: Any) -> tuple[list[Any], int]:
    if getattr(array.type, "unit", "") == "ns":  # Python has none, and pandas is slow to import
        array = array.cast(_in_microseconds(array.type), safe=False)
    try:
        return array.to_pylist(), 0
    except UNREADABLE:
        values = list(map(_python_value, array))
        return values, values.count(None) - array.null_count


def _in_microseconds(type_: Any) -> Any:
    pyarrow: Any = import_module("pyarrow")
    if pyarrow.types.is_timestamp(type_):
        return pyarrow.timestamp("us", type_.tz)
    return pyarrow.time64("us") if pyarrow.types.is_time(type_) else pyarrow.duration("us")


def _python_value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except UNREADABLE:
        return None
