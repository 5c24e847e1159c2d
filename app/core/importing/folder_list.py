"""A folder of spectra as a list: a candidate for each file, or for each row of those of several."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.core.importing.errors import ImportFailed, ImportStopped
from app.core.importing.folder_walk import Progress, ShouldStop, never, silent, spectrum_files
from app.core.importing.formats.contents import ListColumn, RowBlock, TypedCells, Value, counted
from app.core.importing.spectrum_rows import SpectrumRow, rows_of

COLUMNS = (
    ListColumn(name="object_id", kind="str", description="Name of the file, or target in it"),
    ListColumn(name="path", kind="str", description="File in the folder"),
    ListColumn(name="row", kind="int", description="Row in the file, or TARGETID"),
    ListColumn(name="ra", kind="float", unit="deg"),
    ListColumn(name="dec", kind="float", unit="deg"),
)
MAX_ROWS = 2_000_000
BLOCK_ROWS = 2000
TOLD_EVERY = 50


class FolderList:
    """`root` is the folder, or one file of spectra. Everything is looked at when it is made, and
    `progress` hears how many spectra were found."""

    def __init__(
        self, root: Path, should_stop: ShouldStop = never, progress: Progress = silent
    ) -> None:
        self.columns: tuple[ListColumn, ...] = COLUMNS
        self.format = "folder" if root.is_dir() else "spectrum"
        self._rows: list[tuple[str, SpectrumRow]] = []
        self._skipped = 0
        self._hash = hashlib.sha256()
        for number, (folder, name) in enumerate(_files(root, should_stop)):
            if number % TOLD_EVERY == 0:
                progress(len(self._rows), None)
                if should_stop():
                    raise ImportStopped("the import was stopped; nothing was taken over")
            self._add(Path(folder, name), root)
        if not self._rows:
            raise ImportFailed("it holds no file that can be read as a spectrum")
        self.estimate: int | None = len(self._rows)

    @property
    def sha256(self) -> str:
        """Of the names and sizes of the files."""
        return self._hash.hexdigest()

    def settle(self) -> None:
        """The columns are what they are."""

    def warnings(self) -> list[str]:
        if not self._skipped:
            return []
        return [f"left out: {counted(self._skipped, 'file')} that cannot be spectra"]

    def blocks(self) -> Iterator[RowBlock]:
        for start in range(0, len(self._rows), BLOCK_ROWS):
            some = self._rows[start : start + BLOCK_ROWS]
            yield RowBlock(range(start + 1, start + len(some) + 1), _cells(some))

    def _add(self, path: Path, root: Path) -> None:
        try:
            size = path.stat().st_size
        except OSError:
            return
        self._hash.update(f"{os.path.relpath(path, root)}\0{size}\n".encode())
        rows = rows_of(path)
        if not rows:
            self._skipped += 1
        if len(self._rows) + len(rows) > MAX_ROWS:
            raise ImportFailed(f"it holds more than {MAX_ROWS:,} spectra: give a list instead")
        self._rows += [(str(path), row) for row in rows]


def _files(root: Path, should_stop: ShouldStop) -> Iterator[tuple[str, str]]:
    if root.is_dir():
        return spectrum_files(root, should_stop)
    whole = root.absolute()
    return iter([(str(whole.parent), whole.name)])


def _cells(some: Sequence[tuple[str, SpectrumRow]]) -> list[TypedCells]:
    columns: list[list[Value]] = [
        [row.object_id for _, row in some],
        [path for path, _ in some],
        [row.row for _, row in some],
        [row.ra for _, row in some],
        [row.dec for _, row in some],
    ]
    return [TypedCells(v, column.kind) for v, column in zip(columns, COLUMNS, strict=True)]
