"""Open a list for import: read its first rows and guess the roles of its columns."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from agent.checked_toml import is_unicode, printable, shown
from agent.errors import ReadError
from agent.spectra.fits.source_file import UnpackedBytes, open_regular, open_source
from app.core.errors import ImportFailed, NoRowAllowedError, UnknownColumnsError
from app.core.importing.folder_list import COLUMNS, FolderList
from app.core.importing.formats.contents import ListColumn, ListFile, Refused, Value
from app.core.importing.formats.encodings import encoding_of
from app.core.importing.formats.fits_list import FitsList
from app.core.importing.formats.parquet_list import ParquetList
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.formats.text_list import TextList
from app.core.importing.formats.votable_list import VOTableList
from app.core.importing.outside_paths import OutsidePaths
from app.core.importing.roles import Role, Roles, guess_roles, with_user_choice
from app.core.importing.spectrum_rows import rows_of
from app.core.progress import EstimatedProgress, ShouldStop, never, silent

SAMPLE_ROWS = 200
SAMPLE_BLOCKS = 4
MAX_COLUMNS_SHOWN = 12
MAX_NAME, MAX_WORDS = 100, 1000
MAX_REFUSED_SHOWN = 100
UNSUPPORTED = {
    b"SQLite format 3\0": "a SQLite database; merge sessions instead of importing them",
    b"\x89HDF": "HDF5: save the table as FITS, CSV or Parquet",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: save it as CSV",
    b"%PDF": "a PDF: save the table as CSV",
}
KNOWN = "CSV, TSV, ECSV, FITS, VOTable, Parquet or a folder of spectra"
MAX_CONTROL = 0.05  # fraction of control characters allowed in a text file
_CONTROL = bytes({*range(32), 127} - set(b"\t\n\r\f\x1b"))


Rows = list[tuple[Value, ...]]


@dataclass
class OpenedList:
    """A list that can be imported, its first `rows`, those `refused` up to them, and notes."""

    file: ListFile
    rows: Rows
    refused: list[Refused]
    roles: Roles
    notes: tuple[str, ...] = ()


FileIdentity = tuple[int, ...]
"""Identifies the content of a file without reading it; changes when the file is written."""


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
    may_be_spectra = opened.file.format in ("FITS", "Parquet")
    is_catalogue = not may_be_spectra or opened.roles.number("path") is not None
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
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _open_file(path: Path, chosen: Mapping[str, str]) -> OpenedList:
    file = open_list(path)
    rows, refused = first_rows(file)
    roles = with_user_choice(guess_roles(file.columns, rows), chosen, file.columns)
    if not roles.is_useful:
        names = ", ".join(shown(c.name, 20) for c in file.columns[:MAX_COLUMNS_SHOWN])
        raise UnknownColumnsError(
            f"no column was recognized as spectrum file, object or position (columns: {names}); "
            "choose one"
        )
    return OpenedList(file, rows, refused, roles, _notes(roles, rows))


def _notes(roles: Roles, rows: Rows) -> tuple[str, ...]:
    path = roles.number("path")
    if path is None or roles.number("row") is not None:
        return ()
    files = [row[path] for row in rows if row[path]]
    if len(set(files)) == len(files):
        return ()
    return ("some rows give the same file: if it has several spectra, a column must give the row",)


def _open_spectra(
    path: Path, should_stop: ShouldStop = never, progress: EstimatedProgress = silent
) -> OpenedList:
    file = FolderList(path, should_stop, progress)
    reason = "from the files found"
    roles = {c.name: Role(n, c.name, reason) for n, c in enumerate(COLUMNS)}
    return OpenedList(file, *first_rows(file), Roles(roles))


def first_rows(file: ListFile) -> tuple[Rows, list[Refused]]:
    """The first rows, and those refused up to them."""
    try:
        return _first_rows(file)
    except CellMismatch:  # the types were detected from rows that turned out unusable
        file.recheck_types()
        return _first_rows(file)


def _first_rows(file: ListFile) -> tuple[Rows, list[Refused]]:
    refused: list[Refused] = []
    for block in islice(file.blocks(), SAMPLE_BLOCKS):
        refused += block.refused
        if block.lines:
            columns = (cells.values()[:SAMPLE_ROWS] for cells in block.cells)
            return list(zip(*columns, strict=True)), refused
    return [], refused


# What is shown about a list before and after it is imported.
@dataclass(frozen=True, kw_only=True)
class Preview:
    """The start of a list; each of `rows` has a value for each of `columns`."""

    format: str = ""
    columns: tuple[ListColumn, ...] = ()
    rows: tuple[tuple[Value, ...], ...] = ()  # Long texts are cut: they are only shown.
    roles: Roles = field(default_factory=Roles)
    estimate: int | None = None  # number of rows, None if unknown
    is_exact: bool = False  # Whether that is their number; otherwise it is about that.
    sha256: str = ""  # Of the names and sizes of the files in a folder; empty for a list.
    refused: tuple[Refused, ...] = ()  # rows among the first ones that cannot be parsed
    warnings: tuple[str, ...] = ()
    outside: OutsidePaths = field(default_factory=OutsidePaths)
    """Folders that the user may allow, in which the list names spectra by absolute paths."""
    problem: str = ""  # Why it cannot be imported as it is; columns may be given nevertheless.
    needs_roles: bool = False
    """Whether the problem is that no column was recognized: the user can choose some."""


@dataclass(frozen=True, kw_only=True)
class ImportReport:
    """Result of an import: `rows_read` = `rows_used` + `duplicates` + `rows_refused`."""

    name: str
    format: str
    roles: Mapping[str, str]
    rows_read: int
    rows_used: int
    duplicates: int
    """Rows whose object, file and row were imported before, from this list or another."""
    rows_refused: int
    refused: tuple[Refused, ...]
    """The first MAX_REFUSED_SHOWN; the session table `refused_rows` holds more."""
    missing_files: int  # Files that do not exist at the moment; their disk may not be mounted.
    without_file: int  # candidates for which the list gives no file and none was found
    warnings: tuple[str, ...] = field(default=())
    outside: OutsidePaths = field(default_factory=OutsidePaths)
    """Folders outside the allowed ones; the rows that name spectra in them were refused."""


def open_list(path: Path) -> ListFile:
    """Open a file (not a folder). The message of ImportFailed does not name the file."""
    try:
        with open_source(path) as file:
            start, size = file.start, file.size
            is_packed = isinstance(file.bytes, UnpackedBytes)
    except ReadError as error:
        is_workbook = path.suffix.lower() in (".xlsx", ".ods")
        reason = "it is a spreadsheet: save it as CSV" if is_workbook else str(error)
        raise ImportFailed(reason) from error
    if start.startswith(b"SIMPLE  ="):
        return FitsList(path)
    if start.startswith(b"PAR1"):
        return ParquetList(path)
    for magic, what in UNSUPPORTED.items():
        if start.startswith(magic):
            raise ImportFailed(f"it is {what}")
    is_utf16 = encoding_of(start) == "utf-16"  # so may XML be
    text = start.decode("utf-16" if is_utf16 else "utf-8", "replace")
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        if "VOTABLE" not in text.upper():
            raise ImportFailed("it is XML or a web page, not a VOTable: download the list again")
        return VOTableList(path)
    controls = len(start) - len(start.translate(None, _CONTROL))
    if not is_utf16 and controls > MAX_CONTROL * len(start):
        raise ImportFailed(f"its format is unknown: use {KNOWN}")
    return TextList(path, None if is_packed else size)
