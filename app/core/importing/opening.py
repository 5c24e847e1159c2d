"""A list opened and looked at: its first rows, and what its columns are for."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from agent.checked_toml import printable, shown
from agent.errors import ReadError
from app.core.importing.errors import ImportFailed
from app.core.importing.folder_list import COLUMNS, FolderList
from app.core.importing.folder_walk import Progress, ShouldStop, never, silent
from app.core.importing.formats.contents import ListFile, Refused, RowBlock, Value
from app.core.importing.formats.formats import open_list
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.roles import Role, Roles, guess_roles, with_chosen
from app.core.importing.spectrum_rows import rows_of

SAMPLE_ROWS = 200
SAMPLE_BLOCKS = 4
MAX_COLUMNS_SHOWN = 12
MAX_NAME, MAX_WORDS = 100, 1000


@dataclass
class Sample:
    """The first rows. `block` is the first that has any."""

    rows: list[tuple[Value, ...]] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    block: RowBlock | None = None


@dataclass
class OpenedList:
    """A list that can be imported, and what the user should look at first."""

    file: ListFile
    sample: Sample
    roles: Roles
    notes: tuple[str, ...] = ()


class Identity(NamedTuple):
    """Of a file; differs once somebody has written to it."""

    device: int
    number: int
    size: int
    changed_ns: int


def normal(path: Path | str) -> Path:
    """Absolute, and without '..'."""
    try:
        return Path(os.path.normpath(Path(path).expanduser().absolute()))
    except RuntimeError as error:  # ~ of nobody
        raise ImportFailed(f"{printable(str(path), MAX_NAME)}: there is no such folder") from error


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let errors say which list they are about."""
    try:
        yield
    except (ImportFailed, ReadError) as error:
        # What it says may come from the file.
        told = printable(f"{path.name[:MAX_NAME]}: {error}", MAX_WORDS)
        raise ImportFailed(told) from error


def find_list(
    path: Path,
    chosen: Mapping[str, str],
    should_stop: ShouldStop = never,
    progress: Progress = silent,
) -> OpenedList:
    """Open it. A file that is itself a spectrum is a list of what it holds."""
    identity_of(path)
    if path.is_dir():
        return _spectra(path, should_stop, progress)
    try:
        found = _list(path, chosen)
    except ImportFailed:
        # A damaged list is worth no second look, a spectrum is no list at all.
        if chosen or not rows_of(path):
            raise
        return _spectra(path)
    is_catalogue = found.file.format != "FITS" or found.roles.number("path") is not None
    return found if chosen or is_catalogue or not rows_of(path) else _spectra(path)


def sha256_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ImportFailed(f"it cannot be read: {error.strerror}") from error


def identity_of(path: Path) -> Identity:
    try:
        about = path.stat()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "that is no file's name"
        raise ImportFailed(f"it cannot be read: {reason}") from error
    return Identity(about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)


def _list(path: Path, chosen: Mapping[str, str]) -> OpenedList:
    file = open_list(path)
    sample = _sample(file)
    roles = with_chosen(guess_roles(file.columns, sample.rows), chosen, file.columns)
    if not roles.is_useful:
        names = ", ".join(shown(c.name, 20) for c in file.columns[:MAX_COLUMNS_SHOWN])
        raise ImportFailed(
            f"no column names a spectrum, an object or a place in the sky (columns: {names}); say "
            "which one does"
        )
    return OpenedList(file, sample, roles, _notes(roles, sample))


def _notes(roles: Roles, sample: Sample) -> tuple[str, ...]:
    path = roles.number("path")
    if path is None or roles.number("row") is not None:
        return ()
    files = [row[path] for row in sample.rows if row[path]]
    if len(set(files)) == len(files):
        return ()
    return ("rows name the same file: if it holds several spectra, a column must tell the row",)


def _spectra(
    path: Path, should_stop: ShouldStop = never, progress: Progress = silent
) -> OpenedList:
    file = FolderList(path, should_stop, progress)
    reason = "of the files found"
    told = {c.name: Role(c.name, n, c.name, reason) for n, c in enumerate(COLUMNS)}
    return OpenedList(file, _sample(file), Roles(told))


def _sample(file: ListFile) -> Sample:
    try:
        return _first_rows(file)
    except CellMismatch:  # where the very first rows cannot be used, nothing was known yet
        file.settle()
        return _first_rows(file)


def _first_rows(file: ListFile) -> Sample:
    found = Sample()
    for block in islice(file.blocks(), SAMPLE_BLOCKS):
        found.refused += block.refused
        if block.lines:
            found.block = block
            columns = (cells.values()[:SAMPLE_ROWS] for cells in block.cells)
            found.rows = list(zip(*columns, strict=True))
            break
    return found
