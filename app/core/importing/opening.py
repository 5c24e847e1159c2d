"""Open a list for import: read its first rows and guess the roles of its columns."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from agent.checked_toml import is_unicode, printable, shown
from agent.errors import ReadError
from agent.spectra.fits.source_file import open_regular
from app.core.errors import ImportFailed, NoRowAllowedError, UnknownColumnsError
from app.core.importing.folder_list import COLUMNS, FolderList
from app.core.importing.formats.contents import ListFile, Refused, RowBlock, Value
from app.core.importing.formats.formats import open_list
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.roles import Role, Roles, guess_roles, with_user_choice
from app.core.importing.spectrum_rows import rows_of
from app.core.progress import EstimatedProgress, ShouldStop, never, silent

SAMPLE_ROWS = 200
SAMPLE_BLOCKS = 4
MAX_COLUMNS_SHOWN = 12
MAX_NAME, MAX_WORDS = 100, 1000


@dataclass
class Sample:
    """The first rows; `block` is the first block with any."""

    rows: list[tuple[Value, ...]] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    block: RowBlock | None = None


@dataclass
class OpenedList:
    """A list that can be imported, with notes for the user."""

    file: ListFile
    sample: Sample
    roles: Roles
    notes: tuple[str, ...] = ()


class FileIdentity(NamedTuple):
    """Identifies the content of a file without reading it; changes when the file is written."""

    device: int
    number: int
    size: int
    changed_ns: int


def normalized_path(path: Path | str) -> Path:
    """The absolute path without '..'."""
    try:
        return Path(os.path.normpath(Path(path).expanduser().absolute()))
    except RuntimeError as error:  # ~ of an unknown user
        raise ImportFailed(f"{printable(str(path), MAX_NAME)}: there is no such folder") from error


@contextmanager
def errors_naming(path: Path) -> Iterator[None]:
    """Put the name of the list before error messages."""
    try:
        yield
    except NoRowAllowedError as error:
        raise NoRowAllowedError(named(path, str(error))) from error
    except (ImportFailed, ReadError) as error:
        raise ImportFailed(named(path, str(error))) from error


def named(path: Path, message: str) -> str:
    """The message with the name of the list; as it may quote the file, printable and bounded."""
    return printable(f"{path.name[:MAX_NAME]}: {message}", MAX_WORDS)


def open_for_import(
    path: Path,
    chosen: Mapping[str, str],
    should_stop: ShouldStop = never,
    progress: EstimatedProgress = silent,
) -> OpenedList:
    """Open a list, a folder of spectra, or a spectrum file as the list of its spectra."""
    file_identity(path)
    if path.is_dir():
        return _open_spectra(path, should_stop, progress)
    try:
        opened = _open_file(path, chosen)
    except ImportFailed:
        # Not a list, but it may be a spectrum; with chosen roles it was meant as a list.
        if chosen or not rows_of(path):
            raise
        return _open_spectra(path)
    is_catalogue = opened.file.format != "FITS" or opened.roles.number("path") is not None
    return opened if chosen or is_catalogue or not rows_of(path) else _open_spectra(path)


def file_sha256(path: Path) -> str:
    try:
        file, _ = open_regular(path)
        with file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ImportFailed(f"it cannot be read: {error.strerror}") from error


def file_identity(path: Path) -> FileIdentity:
    if not is_unicode(str(path)):
        raise ImportFailed("its name or that of its folder is not valid Unicode: rename it")
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "this is not a valid file name"
        raise ImportFailed(f"it cannot be read: {reason}") from error
    return FileIdentity(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def _open_file(path: Path, chosen: Mapping[str, str]) -> OpenedList:
    file = open_list(path)
    sample = _sample(file)
    roles = with_user_choice(guess_roles(file.columns, sample.rows), chosen, file.columns)
    if not roles.is_useful:
        names = ", ".join(shown(c.name, 20) for c in file.columns[:MAX_COLUMNS_SHOWN])
        raise UnknownColumnsError(
            f"no column was recognized as spectrum file, object or position (columns: {names}); "
            "choose one"
        )
    return OpenedList(file, sample, roles, _notes(roles, sample))


def _notes(roles: Roles, sample: Sample) -> tuple[str, ...]:
    path = roles.number("path")
    if path is None or roles.number("row") is not None:
        return ()
    files = [row[path] for row in sample.rows if row[path]]
    if len(set(files)) == len(files):
        return ()
    return ("some rows give the same file: if it has several spectra, a column must give the row",)


def _open_spectra(
    path: Path, should_stop: ShouldStop = never, progress: EstimatedProgress = silent
) -> OpenedList:
    file = FolderList(path, should_stop, progress)
    reason = "from the files found"
    roles = {c.name: Role(c.name, n, c.name, reason) for n, c in enumerate(COLUMNS)}
    return OpenedList(file, _sample(file), Roles(roles))


def _sample(file: ListFile) -> Sample:
    try:
        return _first_rows(file)
    except CellMismatch:  # the types were detected from rows that turned out unusable
        file.recheck_types()
        return _first_rows(file)


def _first_rows(file: ListFile) -> Sample:
    sample = Sample()
    for block in islice(file.blocks(), SAMPLE_BLOCKS):
        sample.refused += block.refused
        if block.lines:
            sample.block = block
            columns = (cells.values()[:SAMPLE_ROWS] for cells in block.cells)
            sample.rows = list(zip(*columns, strict=True))
            break
    return sample
