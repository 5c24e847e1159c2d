"""Rows of one Parquet file of a HATS catalogue: positions of all, values of the few that match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from app.core.errors import ImportFailed
from app.core.evidence.local_rows import MAX_COLUMNS, FloatArray, IntArray, Row
from app.core.importing.formats import parquet_list
from app.core.importing.formats.contents import ListColumn
from app.core.importing.opening import errors_naming

BATCH = 64 * 1024
"""Rows of a few columns; texts are read with their dictionaries, so repeated ones take no room."""
MAX_GROUP_ROWS = 8_000_000
"""Of a row group; HATS asks for about a million in a whole partition."""
TECHNICAL = frozenset(("_healpix_29", "_hipscat_index", "Norder", "Dir", "Npix"))
"""Columns that say where a row is kept."""


@dataclass(frozen=True, kw_only=True)
class HatsColumns:
    """The columns of all files of a catalogue: their names there and ours, and the position."""

    given: tuple[str, ...]
    columns: tuple[ListColumn, ...]
    position: tuple[str, str]
    """There, of right ascension and declination."""
    texts: tuple[str, ...]
    """Which of them are texts, there."""

    @cached_property
    def kinds(self) -> dict[str, str]:
        return {name: column.kind for name, column in zip(self.given, self.columns, strict=True)}


@dataclass(frozen=True, kw_only=True)
class Group:
    ra: FloatArray
    dec: FloatArray
    """Degrees; NaN where there is none."""
    path: Path
    number: int
    layout: HatsColumns

    def rows(self, wanted: IntArray) -> list[Row]:
        """The values of some rows, by their numbers in the group in rising order."""
        found: list[Row] = []
        with errors_naming(self.path):
            for batch, first in self._batches():
                here = wanted[(wanted >= first) & (wanted < first + len(batch))] - first
                if len(here):
                    found += self._values(batch, here)
                if len(found) == len(wanted):
                    return found
            raise ImportFailed("it is damaged: its columns have not the same length")

    def _batches(self) -> Iterator[tuple[Any, int]]:
        first = 0
        with parquet_list.opened_parquet(self.path, self.layout.texts) as (file, _):
            batches = file.iter_batches(
                BATCH, row_groups=[self.number], columns=list(self.layout.given), use_threads=False
            )
            while (batch := parquet_list.next_batch(batches)) is not None:
                yield batch, first
                first += len(batch)

    def _values(self, batch: Any, here: IntArray) -> list[Row]:
        pyarrow: Any = import_module("pyarrow")

        with parquet_list.arrow_errors():
            taken = batch.take(pyarrow.array(here))
            columns = [
                parquet_list.values_of(taken.column(name), column.kind)[0]
                for name, column in zip(self.layout.given, self.layout.columns, strict=True)
            ]
        return list(zip(*columns, strict=True))


def layout_of(path: Path, position: tuple[str, str], defaults: Sequence[str]) -> HatsColumns:
    """The columns that are brought into the session, those that the makers prefer first."""
    file = parquet_list.ParquetList(path)
    known = dict(zip(file.given, file.columns, strict=True))
    for name in position:
        if name not in known or known[name].kind != "float":
            raise ImportFailed(f"it has no column {name[:40]!r} with positions in degrees")
    names = [name for name in dict.fromkeys(defaults) if name in known]
    names += [name for name in file.given if name not in names]
    given = tuple(name for name in names if name not in TECHNICAL)[:MAX_COLUMNS]
    return HatsColumns(
        given=given,
        columns=tuple(known[name] for name in given),
        position=position,
        texts=tuple(name for name in given if name in file.texts),
    )


def groups(path: Path, layout: HatsColumns) -> Iterator[Group]:
    """The row groups of a file. Raises ImportFailed where it has not the columns of the others."""
    file = parquet_list.ParquetList(path)
    kinds = {name: column.kind for name, column in zip(file.given, file.columns, strict=True)}
    other = [name for name in layout.given if kinds.get(name) != layout.kinds[name]]
    other += [name for name in layout.position if kinds.get(name) != "float"]
    if other:
        raise ImportFailed(f"it has not the column {other[0][:40]!r} of the other partitions")
    with parquet_list.opened_parquet(path) as (opened, _):
        _check_texts(opened.metadata, layout)
        for number in range(opened.num_row_groups):
            ra, dec = _numbers(opened, number, layout.position)
            yield Group(ra=ra, dec=dec, path=path, number=number, layout=layout)


def _check_texts(metadata: Any, layout: HatsColumns) -> None:
    """Few bytes of other encodings may stand for very long texts, each of which takes room."""
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for column in map(group.column, range(group.num_columns)):
            is_odd = not parquet_list.DICTIONARY_ENCODINGS.issuperset(column.encodings)
            if is_odd and column.path_in_schema in layout.texts:
                raise ImportFailed(
                    f"its texts {column.path_in_schema[:40]!r} are packed in a way that is not "
                    "read: save them with dictionaries"
                )


def _numbers(file: Any, number: int, names: tuple[str, str]) -> list[FloatArray]:
    count = file.metadata.row_group(number).num_rows
    if count > MAX_GROUP_ROWS:
        raise ImportFailed(
            f"a row group has {count:,} rows, and at most {MAX_GROUP_ROWS:,} are read together: "
            "save it with smaller ones"
        )
    with parquet_list.arrow_errors():
        table = file.read_row_group(number, columns=list(names), use_threads=False)
        chunks = [table.column(name).chunks for name in names]
        numbers = ([parquet_list.numbers_of(each, np.nan) for each in some] for some in chunks)
        return [np.concatenate([np.empty(0), *some]) for some in numbers]
