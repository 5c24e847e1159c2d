"""A HATS catalogue as rows to match with: only partitions near a candidate are read.

Of a partition's Parquet files the positions of all rows are read, and values of those that match.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from app.core.errors import ImportFailed, counted_text
from app.core.evidence.hats.folder import (
    MAX_ORDER,
    HatsFolder,
    centres,
    children,
    open_hats,
    pixels_at,
    radii,
)
from app.core.evidence.local_rows import MAX_COLUMNS, FloatArray, IntArray, PlacedRows, Row, chord
from app.core.importing.formats import parquet_list
from app.core.importing.formats.contents import ListColumn
from app.core.importing.opening import errors_naming
from app.core.importing.sky import unit_vectors

RELEASE = 12
FINER = 2
"""A partition is looked at as its pixels so many orders finer, whose circles keep to its shape."""
ROUNDED = chord(np.radians(1.0 / 3600.0))
"""A row may be about so far outside its partition, as catalogues round coordinates."""
BATCH = 64 * 1024
"""Rows of a few columns; texts are read with their dictionaries, so repeated ones take no room."""
MAX_GROUP_ROWS = 8_000_000  # Of a row group; HATS asks for about a million in a whole partition.
TECHNICAL = frozenset(("_healpix_29", "_hipscat_index", "Norder", "Dir", "Npix"))
"""Columns that say where a row is kept."""


class HatsRows:
    def __init__(self, path: Path) -> None:
        if find_spec("astropy_healpix") is None:
            raise ImportFailed(
                "catalogues in the HATS layout need astropy-healpix: pip install astropy-healpix"
            )
        self._folder = open_hats(path)
        self._is_read = np.zeros(len(self._folder.orders), dtype=bool)
        schema = self._folder.schema_file()
        with errors_naming(schema):
            self._layout = layout_of(schema, self._folder.position, self._folder.defaults)
        self.columns = self._layout.columns
        self.release = self._folder.release[:RELEASE]

    @property
    def about(self) -> dict[str, Any]:
        return {
            "sha256": self._folder.release,
            **self._folder.about,
            "partitions": len(self._is_read),
            "partitions_read": int(self._is_read.sum()),
        }

    def notes(self, places: FloatArray) -> list[str]:
        read, there = self._is_read.sum(), len(self._is_read)
        found = [f"{read:,} of {there:,} partitions are near a candidate and were read"]
        outside = int(len(places) - self.covered(places).sum())
        if outside:
            words = counted_text(outside, "candidate")
            found.append(f"{words} in parts of the sky where the catalogue has no partition")
        return found

    def covered(self, places: FloatArray) -> NDArray[np.bool_]:
        """Which unit vectors point into a partition."""
        first, end = self._folder.ranges()
        order = np.argsort(first)
        pixels = pixels_at(MAX_ORDER, places)
        before = np.searchsorted(first[order], pixels, side="right") - 1
        return (before >= 0) & (pixels < end[order][np.maximum(before, 0)])

    def blocks(self, candidates: cKDTree, radius: float) -> Iterator[PlacedRows]:
        self._is_read = near(self._folder, candidates, radius)
        wanted = np.flatnonzero(self._is_read).tolist()
        for done, partition in enumerate(wanted, 1):
            order, pixel = int(self._folder.orders[partition]), int(self._folder.pixels[partition])
            for path in self._folder.files(partition):
                with errors_naming(path):
                    for group in groups(path, self._layout):
                        yield _placed(group, order, pixel, done, len(wanted))


def near(folder: HatsFolder, candidates: cKDTree, radius: float) -> NDArray[np.bool_]:
    """Which partitions may have a row within `radius` (radians) of a candidate."""
    found = np.zeros(len(folder.orders), dtype=bool)
    if not candidates.n:
        return found
    for order in np.unique(folder.orders).tolist():
        here = folder.orders == order
        pixels = children(folder.pixels[here], FINER)
        apart, _ = candidates.query(centres(order + FINER, pixels.ravel()))
        reach = chord(np.minimum(radii(order + FINER, pixels.ravel()) + radius, np.pi))
        found[here] = (apart <= reach).reshape(pixels.shape).any(axis=1)
    return found


def _placed(group: Group, order: int, pixel: int, done: int, of: int) -> PlacedRows:
    ra, dec = group.ra, group.dec
    numbers: IntArray = np.flatnonzero((np.abs(ra) <= 360.0) & (np.abs(dec) <= 90.0))
    places = unit_vectors(ra[numbers], dec[numbers])
    if not _are_inside(order, pixel, places):
        # Another partition, or none, would be read for candidates near such a row.
        raise ImportFailed(
            "it has rows of another part of the sky than its number says: the catalogue is damaged"
        )
    return PlacedRows(
        count=len(ra), numbers=numbers, places=places, rows=group.rows, done=done, of=of
    )


def _are_inside(order: int, pixel: int, places: FloatArray) -> bool:
    """Whether all places are in a pixel, or no farther outside than coordinates are rounded."""
    astray = places[pixels_at(order, places) != pixel]
    inwards = centres(order, np.array([pixel])) - astray
    length = np.linalg.norm(inwards, axis=1, keepdims=True)
    moved = astray + inwards * np.minimum(ROUNDED / length, 1.0)
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    return bool((pixels_at(order, moved) == pixel).all())


@dataclass(frozen=True, kw_only=True)
class HatsColumns:
    """The columns of all files of a catalogue: their names there and ours, and the position."""

    given: tuple[str, ...]
    columns: tuple[ListColumn, ...]
    position: tuple[str, str]  # there, of right ascension and declination
    texts: tuple[str, ...]  # which of them are texts, there

    @cached_property
    def kinds(self) -> dict[str, str]:
        return {name: column.kind for name, column in zip(self.given, self.columns, strict=True)}


@dataclass(frozen=True, kw_only=True)
class Group:
    ra: FloatArray
    dec: FloatArray  # Degrees; NaN where there is none.
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
