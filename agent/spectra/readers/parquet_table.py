"""Parquet tables with a spectrum in each row: vectors in columns, or in the parts of a record.

pyarrow reads them in a child process, and a block of rows at once: whoever reads one row mostly
wants the next.
"""

import math
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import islice, repeat
from pathlib import Path
from typing import Any

import numpy as np

from agent.checked_toml import printable
from agent.child_process.rows_in_child import rows_in_child
from agent.errors import ReadError
from agent.spectra.fits.source_file import SourceFile
from agent.spectra.readers.base import (
    Malformed,
    NotMine,
    Request,
    build,
    checked_row,
    clean_text,
    position,
    stem,
)
from agent.spectra.readers.columns import ColumnField, choose_columns, plain_name, read_columns
from agent.spectra.spectrum import Spectrum

MAGIC = b"PAR1"
BLOCK = 32  # rows read at once: as many as a search gives to a process
BLOCKS_KEPT = 2  # of 4 MB where spectra have 4,000 pixels, and 100 MB at the most
LONGEST = 100_000  # pixels
BUFFER = 64 * 1024  # with a buffer pyarrow reads page by page, without all of a row group
NAMES_AT_ONCE = 5000
MAX_COLUMNS = 400
NAMES = ("object_id", "targetid", "source_id", "specobjid", "obsid", "id", "name")
PLACES = (("ra", "dec"), ("target_ra", "target_dec"), ("raj2000", "dej2000"))
REDSHIFTS = ("redshift", "z")
BANDS = {"g", "r", "i"}
Cells = dict[str, Any]
Row = tuple[list[bytes], Cells]
"""The vectors of a row as bytes of float64, and its single values by the names of their columns."""


def read(file: SourceFile, request: Request) -> Spectrum:
    if not file.start.startswith(MAGIC):
        raise NotMine("not a Parquet file")
    if find_spec("pyarrow") is None:
        raise Malformed("reading Parquet needs pyarrow: pip install pyarrow")
    if not file.is_local:
        raise Malformed("a Parquet table is read from a disk only: download it and give its path")
    path, identity = str(file.path), _identity(file.path)
    row = request.row if not request.target else _row_named(file.path, request.target)
    fields, rows, found = _block(path, identity, max(row, 0) // BLOCK)
    row = checked_row(Request(row), rows)
    if row % BLOCK >= len(found):
        raise Malformed(f"it is damaged: it says that it has {rows} rows, and has no row {row}")
    (vectors, single), choice = found[row % BLOCK], choose_columns(fields)
    if not vectors[choice.flux]:
        raise Malformed(f"row {row} has no spectrum, or one of more than {LONGEST:,} pixels")
    data = read_columns(fields, choice, lambda number: np.frombuffer(vectors[number], "<f8"))
    meta = {clean_text(name, 40): value for name, value in single.items() if _is_known(value)}
    plain = {plain_name(name): value for name, value in meta.items()}
    return build(
        file, data.pixels, medium=data.medium or "unknown", warnings=data.notes,
        format="Parquet table", flux_unit=data.flux_unit, row=row, rows=rows, z=_redshift(plain),
        object_id=_name(plain, file.path, row), **_place(plain),
        survey=str(plain.get("survey", "")),
        more_meta={name: clean_text(v) if isinstance(v, str) else v for name, v in meta.items()},
    )  # fmt: skip


def _is_known(value: Any) -> bool:
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def _redshift(plain: Cells) -> float | None:
    if plain.keys() >= BANDS:
        return None  # z is a magnitude like the others
    return next((plain[name] for name in REDSHIFTS if isinstance(plain.get(name), float)), None)


def targets(path: Path) -> Iterator[tuple[str, float | None, float | None]]:
    """The name and position of each row. Raises NotMine where no row is a spectrum."""
    _block(str(path), _identity(path), 0)
    row = 0
    for some in rows_in_child(target_cells, path, kind=ReadError):
        for cells in some:
            place = _place(cells)
            yield _name(cells, path, row), place.get("ra"), place.get("dec")
            row += 1


def _row_named(path: Path, target: str) -> int:
    for row, (name, _, _) in enumerate(targets(path)):
        if name == target:
            return row
    raise Malformed(f"no row of it is named {target}")


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@lru_cache(BLOCKS_KEPT)
def _block(
    path: str, identity: tuple[int, int], number: int
) -> tuple[list[ColumnField], int, list[Row]]:
    """Fields of the vectors, how many rows the file has, and the rows of a block."""
    found = rows_in_child(block_cells, Path(path), number * BLOCK, kind=ReadError)
    with closing(found):
        columns, rows = next(found)
        fields = [ColumnField(name, unit) for name, unit in columns]
        choose_columns(fields)  # a catalogue need not be read
        return fields, rows, list(found)


def block_cells(path: Path, first: int) -> Iterator[Any]:
    """Runs in a child: the columns with vectors and the number of rows, then a block of rows."""
    with _opened(path) as file:
        vectors, plain = _columns(file)
        yield [[[_own(name), unit] for name, unit in vectors.items()], file.metadata.num_rows]
        start = 0
        for group in range(file.num_row_groups):
            low, size = first - start, file.metadata.row_group(group).num_rows
            if -BLOCK < low < size:
                yield from _rows(file, group, (low, low + BLOCK), vectors, plain)
            start += size


def _rows(
    file: Any, group: int, between: tuple[int, int], vectors: Iterable[str], plain: Iterable[str]
) -> Iterator[Row]:
    at, names = 0, [*vectors, *plain]
    for batch in file.iter_batches(BLOCK, row_groups=[group], columns=names, use_threads=False):
        low, high = (min(max(each - at, 0), len(batch)) for each in between)
        at += len(batch)
        if low < high:
            some = batch.slice(low, high - low)
            rows = zip(*(_vectors(_column(some, name)) for name in vectors), strict=True)
            singles = _cells(some, {name: _own(name) for name in plain})
            yield from zip(map(list, rows), singles, strict=True)
        if at >= between[1]:
            return


def target_cells(path: Path) -> Iterator[list[Cells]]:
    """Runs in a child: what rows are called and where they lie, a list of many rows at a time."""
    wanted = {*NAMES, *(name for pair in PLACES for name in pair)}
    with _opened(path) as file:
        _, plain = _columns(file)
        keys = {name: plain_name(_own(name)) for name in plain}
        keys = {name: key for name, key in keys.items() if key in wanted}
        for batch in file.iter_batches(NAMES_AT_ONCE, columns=[*keys], use_threads=False):
            yield list(_cells(batch, keys))


def _cells(batch: Any, keys: dict[str, str]) -> Iterator[Cells]:
    """The single values of each row, by these keys."""
    columns = [_column(batch, name).to_pylist() for name in keys]
    for row in zip(*columns, strict=True) if columns else repeat((), len(batch)):
        yield dict(zip(keys.values(), row, strict=True))


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    pyarrow: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")
    try:
        with parquet.ParquetFile(path, memory_map=False, buffer_size=BUFFER) as file:
            yield file
    except (pyarrow.ArrowException, ValueError, LookupError) as error:
        reason = printable(" ".join(str(error).split()), 200)
        raise ReadError(f"it is damaged, or pyarrow cannot read it: {reason}") from error


def _columns(file: Any) -> tuple[dict[str, str], list[str]]:
    """Columns with vectors of numbers and their units; columns with single values."""
    types: Any = import_module("pyarrow.types")
    vectors, plain = {}, []
    for top in islice(file.schema_arrow, MAX_COLUMNS):
        is_record = types.is_struct(top.type)
        for field in islice(top.type, MAX_COLUMNS) if is_record else [top]:
            name = f"{top.name}.{field.name}" if is_record else field.name
            if name.count(".") != is_record:
                continue  # pyarrow takes a point in a name for the part of a record
            is_list = any(
                test(field.type)
                for test in (types.is_list, types.is_large_list, types.is_fixed_size_list)
            )
            if is_list and _is_number(field.type.value_type):
                unit = (field.metadata or {}).get(b"unit", b"").decode("utf-8", "replace")
                vectors[name] = printable(unit, 40)
            elif _is_number(field.type) or types.is_string(field.type):
                plain.append(name)
    return vectors, plain


def _is_number(type_: Any) -> bool:
    types: Any = import_module("pyarrow.types")
    return bool(types.is_floating(type_) or types.is_integer(type_) or types.is_boolean(type_))


def _column(batch: Any, name: str) -> Any:
    compute: Any = import_module("pyarrow.compute")
    top, _, part = name.partition(".")
    column = batch.column(top)
    return compute.struct_field(column, part) if part else column


def _vectors(column: Any) -> list[bytes]:
    """The numbers of each row; none of a row that is too long."""
    compute: Any = import_module("pyarrow.compute")
    lengths = compute.fill_null(compute.list_value_length(column), 0)
    ends = np.cumsum(np.from_dlpack(lengths), dtype=np.int64)
    numbers = compute.cast(compute.list_flatten(column), "float64", safe=False)
    values = np.from_dlpack(compute.fill_null(numbers, np.nan)).astype("<f8", copy=False)
    starts = np.concatenate([[0], ends[:-1]])
    return [
        values[start:end].tobytes() if end - start <= LONGEST else b""
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]


def _own(name: str) -> str:
    return name.rpartition(".")[2]


def _name(cells: Cells, path: Path, row: int) -> str:
    found = (cells[name] for name in NAMES if cells.get(name) not in (None, ""))
    return clean_text(str(next(found, f"{stem(path)}#{row}")))


def _place(cells: Cells) -> dict[str, Any]:
    for pair in PLACES:
        ra, dec = (cells.get(name) for name in pair)
        if isinstance(ra, float) and isinstance(dec, float) and (place := position(ra, dec)):
            return place
    return {}
