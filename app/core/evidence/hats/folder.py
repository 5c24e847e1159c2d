"""A folder in the HATS layout: what its properties say, and which partitions it has.

They are pixels of HEALPix, numbered in the nested scheme; where those lie says astropy-healpix.
"""

import csv
import io
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from agent.checked_toml import printable
from agent.errors import ReadError
from agent.hashing import bytes_hash
from agent.spectra.fits.source_file import open_regular
from app.core.errors import ImportFailed
from app.core.evidence.local_rows import FloatArray, IntArray

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

    def ranges(self) -> tuple[IntArray, IntArray]:
        """The first pixel of each partition at the finest order, and the one after its last."""
        return _ranges(self.orders, self.pixels)

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
    first, end = _ranges(orders, pixels)
    order = np.argsort(first)
    if (first[order][1:] < end[order][:-1]).any():
        raise ImportFailed(f"{PARTITIONS} lists a part of the sky twice")
    return orders, pixels


def _ranges(orders: IntArray, pixels: IntArray) -> tuple[IntArray, IntArray]:
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
