"""The rows of a catalogue in one file: CSV, FITS, VOTable or Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from agent.errors import WorkbenchError
from app.core.evidence.local_rows import (
    MAX_COLUMNS,
    FloatArray,
    IntArray,
    PlacedRows,
    Row,
    unit_vectors,
)
from app.core.importing.formats.contents import Cells, RowBlock
from app.core.importing.opening import file_sha256, open_for_import
from app.core.importing.sky import angles, positions

RELEASE = 12


class FileRows:
    """A file, read from its beginning to its end whatever the candidates are."""

    def __init__(self, path: Path) -> None:
        opened = open_for_import(path, {})
        ra, dec = opened.roles.number("ra"), opened.roles.number("dec")
        if ra is None or dec is None:
            raise WorkbenchError(f"{path.name}: no columns were recognized as ra and dec")
        self._file, self._roles = opened.file, (ra, dec)
        self.columns = opened.file.columns[:MAX_COLUMNS]
        sha256 = file_sha256(path)
        self.release = sha256[:RELEASE]
        self.about = {"sha256": sha256}

    def blocks(self, candidates: cKDTree, radius: float) -> Iterator[PlacedRows]:
        done = 0
        for block in self._file.blocks():
            done += len(block.lines)
            yield self._placed(block, done)

    def notes(self, places: FloatArray) -> list[str]:
        return []

    def _placed(self, block: RowBlock, done: int) -> PlacedRows:
        ra, dec = (
            angles(block.cells[number], self._file.columns[number].unit, is_ra=not which)
            for which, number in enumerate(self._roles)
        )
        ra, dec, _ = positions(ra, dec)
        # What is no position is None in both.
        table = np.array([ra, dec], dtype=float)
        numbers = np.flatnonzero(np.isfinite(table).all(axis=0))
        cells = block.cells[: len(self.columns)]
        return PlacedRows(
            count=len(block.lines),
            numbers=numbers,
            places=unit_vectors(*table[:, numbers]),
            rows=lambda wanted: _rows(cells, wanted),
            done=done,
            of=self._file.estimate,
        )


def _rows(cells: Sequence[Cells], wanted: IntArray) -> list[Row]:
    columns = [each.values() for each in cells]
    return [[column[number] for column in columns] for number in wanted.tolist()]
