"""A folder of spectra as a list: one candidate for each spectrum in each file."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from agent.checked_toml import is_unicode
from app.core.errors import ImportFailed, ImportStopped, counted_text
from app.core.importing.formats.contents import ListColumn, RowBlock, TypedCells, TypedList
from app.core.importing.spectrum_files import find_spectrum_files
from app.core.importing.spectrum_rows import SpectrumRow, rows_of
from app.core.progress import EstimatedProgress, ShouldStop, never, silent

COLUMNS = (
    ListColumn(name="object_id", kind="str", description="File name, or target in the file"),
    ListColumn(name="path", kind="str", description="Spectrum file"),
    ListColumn(name="row", kind="int", description="Row in the file, or TARGETID"),
    ListColumn(name="ra", kind="float", unit="deg"),
    ListColumn(name="dec", kind="float", unit="deg"),
)
MAX_ROWS = 2_000_000
BLOCK_ROWS = 2000


class FolderList(TypedList):
    """The spectra of the folder `root`, or of the single file `root`.

    The constructor reads all files and reports the number of spectra found to `progress`.
    """

    def __init__(
        self, root: Path, should_stop: ShouldStop = never, progress: EstimatedProgress = silent
    ) -> None:
        self.columns: tuple[ListColumn, ...] = COLUMNS
        self.format = "folder" if root.is_dir() else "spectrum"
        self._rows: list[tuple[str, SpectrumRow]] = []
        self._skipped = self._badly_named = 0
        self._hash = hashlib.sha256()
        for folder, name in _files(root, should_stop):
            progress(len(self._rows), None)
            if should_stop():
                raise ImportStopped("the import was stopped; nothing was imported")
            self._add(Path(folder, name), root)
        if not self._rows and self._badly_named:
            raise ImportFailed("the names of its files are not valid Unicode: rename them")
        if not self._rows:
            raise ImportFailed("it contains no readable spectrum")
        self.estimate: int | None = len(self._rows)

    @property
    def sha256(self) -> str:
        """Hash of the names and sizes of the files."""
        return self._hash.hexdigest()

    def warnings(self) -> list[str]:
        counts = {
            "that could not be read as spectra": self._skipped,
            "whose names are not valid Unicode: rename them": self._badly_named,
        }
        return [f"skipped {counted_text(n, 'file')} {why}" for why, n in counts.items() if n]

    def blocks(self) -> Iterator[RowBlock]:
        for start in range(0, len(self._rows), BLOCK_ROWS):
            chunk = self._rows[start : start + BLOCK_ROWS]
            values = ((row.object_id, path, row.row, row.ra, row.dec) for path, row in chunk)
            columns = zip(zip(*values, strict=True), COLUMNS, strict=True)
            cells = [TypedCells([*each], column.kind) for each, column in columns]
            yield RowBlock(range(start + 1, start + len(chunk) + 1), cells)

    def _add(self, path: Path, root: Path) -> None:
        if not is_unicode(str(path)):
            self._badly_named += 1
            return
        try:
            size = path.stat().st_size
        except OSError:  # gone since the folder was listed
            return
        self._hash.update(f"{os.path.relpath(path, root)}\0{size}\n".encode())
        rows = rows_of(path)
        if not rows:
            self._skipped += 1
        if len(self._rows) + len(rows) > MAX_ROWS:
            raise ImportFailed(f"it contains more than {MAX_ROWS:,} spectra: import a list instead")
        self._rows += [(str(path), row) for row in rows]


def _files(root: Path, should_stop: ShouldStop) -> Iterator[tuple[str, str]]:
    if root.is_dir():
        return find_spectrum_files(root, should_stop)
    file = root.absolute()
    return iter([(str(file.parent), file.name)])
