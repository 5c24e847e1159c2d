"""A HATS catalogue as rows to match with: only partitions near a candidate are read."""

from __future__ import annotations

from collections.abc import Iterator
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
from app.core.evidence.hats.parquet_rows import Group, groups, layout_of
from app.core.evidence.local_rows import FloatArray, IntArray, PlacedRows, chord, unit_vectors
from app.core.importing.opening import errors_naming

RELEASE = 12
FINER = 2
"""A partition is looked at as its pixels so many orders finer, whose circles keep to its shape."""
ROUNDED = chord(np.radians(1.0 / 3600.0))
"""A row may be about so far outside its partition, as catalogues round coordinates."""


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
        middle = centres(order + FINER, pixels.ravel())
        apart, _ = candidates.query(middle)
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
