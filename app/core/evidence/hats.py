"""Catalogues in the HATS layout: partitions of the sky as Parquet files in a folder.

They are pixels of HEALPix, numbered in the nested scheme; where those lie says astropy-healpix.
Only partitions near a candidate are read. Of their files the positions of all rows are read, and
values of those that match.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from agent.checked_toml import printable
from agent.errors import ReadError
from agent.hashing import bytes_hash
from agent.spectra.fits.source_file import open_regular
from agent.spectra.spectrum import FloatArray
from app.core.errors import ImportFailed, counted_text
from app.core.evidence.local_rows import MAX_COLUMNS, IntArray, PlacedRows, Row, chord
from app.core.importing.formats import parquet_list
from app.core.importing.formats.contents import ListColumn
from app.core.importing.opening import errors_naming
from app.core.importing.sky import unit_vectors

MAX_ORDER = 29
SLACK = 1.0001  # for the error of rounding in a radius
CORNERS = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0))

PROPERTIES = ("hats.properties", "properties")
COLLECTION = "collection.properties"
PARTITIONS = "partition_info.csv"
MAX_PROPERTIES = 256 * 1024
MAX_PARTITIONS_BYTES = 16 * 1024**2
MAX_PARTITIONS = 100_000
MAX_FILES = 1000  # of one partition
DEEPEST = MAX_ORDER - 4
"""A partition at this order is 0.01 arcsec wide; we look at pixels two orders finer."""
PER_FOLDER = 10_000
KINDS = ("object", "source")
SUFFIX = re.compile(r"(\.[a-z0-9]{1,12}){1,3}|/", re.ASCII)
KEPT = ("obs_collection", "obs_title", "hats_version", "hats_builder", "hats_creation_date",
        "hats_release_date", "hats_coordinate_epoch")  # fmt: skip
MAX_WORDS = 200


@dataclass(frozen=True, kw_only=True)
class HatsFolder:
    root: Path  # without links
    properties: Mapping[str, str]
    orders: IntArray
    pixels: IntArray  # of each partition, in nested numbering
    release: str  # hash of what the folder says about itself

    @property
    def position(self) -> tuple[str, str]:
        """The columns with the position in degrees."""
        return self.properties["hats_col_ra"], self.properties["hats_col_dec"]

    @property
    def defaults(self) -> list[str]:
        """The columns that its makers think most useful."""
        return re.findall(r"[^;,\s]+", self.properties.get("hats_cols_default", ""))

    @property
    def about(self) -> dict[str, str]:
        said = {key: self.properties[key] for key in KEPT if key in self.properties}
        return {key: printable(value, MAX_WORDS) for key, value in said.items()}

    def files(self, partition: int) -> Iterator[Path]:
        """The files of a partition. Raises ImportFailed where one is missing or elsewhere."""
        order, pixel = int(self.orders[partition]), int(self.pixels[partition])
        many = pixel // PER_FOLDER * PER_FOLDER
        folder = self.root / "dataset" / f"Norder={order}" / f"Dir={many}"
        suffix = self.properties.get("hats_npix_suffix", ".parquet")
        if suffix != "/":
            yield self._inside(folder / f"Npix={pixel}{suffix}")
            return
        whole = self._inside(folder / f"Npix={pixel}")
        if not whole.is_dir():
            raise ImportFailed(f"{self.name_of(whole)} is no folder")
        with os.scandir(whole) as entries:
            listed = (each.name for each in entries if each.name.endswith(".parquet"))
            found = sorted(islice(listed, MAX_FILES + 1))
        if not found or len(found) > MAX_FILES:
            number = f"more than {MAX_FILES:,}" if found else "no"
            raise ImportFailed(f"{self.name_of(whole)} has {number} Parquet files")
        yield from (self._inside(whole / each) for each in found)

    def schema_file(self) -> Path:
        """A file with the columns of all: one without rows, else the first partition."""
        alone = self.root / "dataset" / "_common_metadata"
        return self._inside(alone) if alone.exists() else next(self.files(0))

    def name_of(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def _inside(self, path: Path) -> Path:
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError) as error:
            raise ImportFailed(
                f"{self.name_of(path)} is missing: download the catalogue again"
            ) from error
        if not real.is_relative_to(self.root):
            raise ImportFailed(f"{self.name_of(path)} is a link that leads out of the folder")
        return path


def open_hats(path: Path) -> HatsFolder:
    """Raises ImportFailed, without the name of the folder, for what is not such a catalogue."""
    root = path.resolve()
    if not any((root / name).exists() for name in PROPERTIES) and (root / COLLECTION).exists():
        root = _main_catalogue(root)
    name = next((name for name in PROPERTIES if (root / name).exists()), None)
    if name is None:
        raise ImportFailed(
            "this folder is no catalogue in the HATS layout, which has a file hats.properties: "
            "give such a folder, or one file"
        )
    said = _read(root, name, MAX_PROPERTIES)
    properties = _properties(said, name)
    _check(properties)
    listed = _read(root, PARTITIONS, MAX_PARTITIONS_BYTES)
    orders, pixels = _partitions(listed)
    release = bytes_hash(said + b"\0" + listed)
    return HatsFolder(
        root=root, properties=properties, orders=orders, pixels=pixels, release=release
    )


def _main_catalogue(root: Path) -> Path:
    """The folder of the main table of a collection, which also has margins and indices."""
    properties = _properties(_read(root, COLLECTION, MAX_PROPERTIES), COLLECTION)
    where = properties.get("hats_primary_table_url", "")
    try:
        found = (root / where).resolve()
        is_there = found.is_dir() and found != root and found.is_relative_to(root)
    except (OSError, ValueError, RuntimeError):
        is_there = False
    if not is_there:
        raise ImportFailed("the main table of this collection is not in the folder")
    return found


def _read(root: Path, name: str, at_most: int) -> bytes:
    try:
        if not (root / name).resolve().is_relative_to(root):
            raise ImportFailed(f"{name} is a link that leads out of the folder")
        stream, size = open_regular(root / name)
        with stream:
            content = stream.read(at_most + 1)
    except FileNotFoundError as error:
        raise ImportFailed(f"{name} is missing: download the catalogue again") from error
    except (OSError, RuntimeError, ReadError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ImportFailed(f"{name} cannot be read: {reason}") from error
    if max(size, len(content)) > at_most:
        raise ImportFailed(f"{name} is larger than {at_most // 1024:,} kB")
    return content


def _properties(content: bytes, name: str) -> dict[str, str]:
    """Lines as `key=value`; # begins a comment, and a line that ends in a backslash goes on."""
    try:
        lines = content.decode().replace("\\\n", "").splitlines()
    except UnicodeDecodeError as error:
        raise ImportFailed(f"{name} is no text") from error
    found = {}
    for line in lines:
        key, mark, value = line.partition("=")
        if mark and not line.lstrip().startswith(("#", "!")):
            found[key.strip()] = value.strip()
    return found


def _check(properties: Mapping[str, str]) -> None:
    kind = properties.get("dataproduct_type", "object")
    if kind not in KINDS:
        raise ImportFailed(
            f"it is no catalogue of objects: its properties call it {printable(kind, 40)!r}"
        )
    if not properties.get("hats_col_ra") or not properties.get("hats_col_dec"):
        raise ImportFailed(
            "its properties do not name the columns of the position, hats_col_ra and hats_col_dec"
        )
    suffix = properties.get("hats_npix_suffix", ".parquet")
    if not SUFFIX.fullmatch(suffix):
        raise ImportFailed(f"its files cannot end in {printable(suffix, 40)!r}")


def _partitions(content: bytes) -> tuple[IntArray, IntArray]:
    """Order and pixel of each, as listed; no two of them overlap."""
    try:
        lines = csv.reader(io.StringIO(content.decode("ascii")))
        names = [name.strip() for name in next(lines)]
        columns = names.index("Norder"), names.index("Npix")
        listed = ([int(row[column]) for column in columns] for row in lines if row)
        rows = list(islice(listed, MAX_PARTITIONS + 1))
        orders, pixels = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    except (StopIteration, ValueError, LookupError, OverflowError, csv.Error) as error:
        raise ImportFailed(
            f"{PARTITIONS} is no list of partitions, by whole numbers Norder and Npix"
        ) from error
    if not 0 < len(rows) <= MAX_PARTITIONS:
        many = f"more than {MAX_PARTITIONS:,}" if rows else "no"
        raise ImportFailed(f"{PARTITIONS} lists {many} partitions")
    if not ((orders >= 0) & (orders <= DEEPEST)).all():
        raise ImportFailed(f"{PARTITIONS}: Norder must be from 0 to {DEEPEST}")
    if not ((pixels >= 0) & (pixels < 12 * 4**orders)).all():
        raise ImportFailed(f"{PARTITIONS} lists pixels that are not on the sky")
    first, end = ranges(orders, pixels)
    order = np.argsort(first)
    if (first[order][1:] < end[order][:-1]).any():
        raise ImportFailed(f"{PARTITIONS} lists a part of the sky twice")
    return orders, pixels


def ranges(orders: IntArray, pixels: IntArray) -> tuple[IntArray, IntArray]:
    """The first pixel of each partition at the finest order, and the one after its last."""
    size = 4 ** (MAX_ORDER - orders)
    return pixels * size, (pixels + 1) * size


def pixels_at(order: int, vectors: FloatArray) -> IntArray:
    """The pixel that each unit vector points at."""
    from astropy_healpix import xyz_to_healpix  # half a second, for astropy's coordinates

    found: IntArray = xyz_to_healpix(*vectors.T, nside=2**order, order="nested")
    return found


def centres(order: int, pixels: IntArray) -> FloatArray:
    """Unit vectors of the centres; (n, 3)."""
    return _vectors(order, pixels, 0.5, 0.5)


def radii(order: int, pixels: IntArray) -> FloatArray:
    """Radians from each centre within which the whole pixel lies: its farthest corner."""
    middle = centres(order, pixels)
    chords = [np.linalg.norm(_vectors(order, pixels, *at) - middle, axis=1) for at in CORNERS]
    found: FloatArray = 2.0 * np.arcsin(np.minimum(np.max(chords, axis=0) / 2.0, 1.0))
    return SLACK * found


def children(pixels: IntArray, orders: int) -> IntArray:
    """The pixels so many orders finer that each is made of; (n, 4**orders)."""
    found: IntArray = pixels[:, np.newaxis] * 4**orders + np.arange(4**orders)
    return found


def _vectors(order: int, pixels: IntArray, across: float, along: float) -> FloatArray:
    """A place within each pixel, from 0 to 1 along its two axes."""
    from astropy_healpix import healpix_to_xyz

    return np.stack(healpix_to_xyz(pixels, 2**order, across, along, order="nested"), axis=1)


# The rows of such a catalogue, to match with.
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
        """What the user should know of the match, once it is done, with candidates at `places`."""
        read, there = self._is_read.sum(), len(self._is_read)
        found = [f"{read:,} of {there:,} partitions are near a candidate and were read"]
        outside = int(len(places) - self.covered(places).sum())
        if outside:
            words = counted_text(outside, "candidate")
            found.append(f"{words} in parts of the sky where the catalogue has no partition")
        return found

    def covered(self, places: FloatArray) -> NDArray[np.bool_]:
        """Which unit vectors point into a partition."""
        first, end = ranges(self._folder.orders, self._folder.pixels)
        order = np.argsort(first)
        pixels = pixels_at(MAX_ORDER, places)
        before = np.searchsorted(first[order], pixels, side="right") - 1
        return (before >= 0) & (pixels < end[order][np.maximum(before, 0)])

    def blocks(self, candidates: cKDTree, radius: float) -> Iterator[PlacedRows]:
        """The rows; those farther than `radius` (radians) from all candidates may be left out."""
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
