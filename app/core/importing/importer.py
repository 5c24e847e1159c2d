"""Import a list into a session, in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from app.core.errors import ImportFailed
from app.core.importing.child.parent import ListReaderProcess
from app.core.importing.entry_source import EntrySource, InProcessSource
from app.core.importing.folder_list import FolderList
from app.core.importing.import_run import ImportRun
from app.core.importing.opening import (
    OpenedList,
    errors_naming,
    file_identity,
    file_sha256,
    normalized_path,
    open_for_import,
)
from app.core.importing.reports import ImportReport, Preview
from app.core.importing.spectrum_locator import SpectrumLocator
from app.core.importing.storing import BULK_ROWS
from app.core.progress import EstimatedProgress, ShouldStop, never, silent
from app.core.queue import drop_order_indexes
from app.core.session.records import Change
from app.core.session.session import Session

SHOWN_ROWS = 20
CHILD_PROCESS_BYTES = 8 * 1024 * 1024
"""Larger files are read by a child process, in parallel to the writing."""
ORDER = "order"
"""Key of the session fact that holds the initial order of the queue."""


def preview(path: Path | str, *, roles: Mapping[str, str] | None = None) -> Preview:
    """The first rows of a list and the guessed roles of its columns."""
    path = normalized_path(path)
    with errors_naming(path):
        opened = open_for_import(path, roles or {})
        return Preview(
            format=opened.file.format,
            columns=opened.file.columns,
            rows=tuple(opened.sample.rows[:SHOWN_ROWS]),
            roles=opened.roles,
            estimate=opened.file.estimate,
            refused=tuple(opened.sample.refused[:SHOWN_ROWS]),
            warnings=(*opened.notes, *opened.file.warnings()),
        )


def import_list(
    session: Session,
    path: Path | str,
    *,
    roles: Mapping[str, str] | None = None,
    spectra: Path | str | None = None,
    allow_absolute: bool = False,
    progress: EstimatedProgress = silent,
    should_stop: ShouldStop = never,
) -> ImportReport:
    """Import the rows of a list as candidates.

    `roles` maps roles to column names where the guess is wrong, '' for no column. Spectrum files
    must be in the folder of the list or in `spectra`; others are refused, unless `allow_absolute`
    is set and the list gives absolute paths. Raises ImportFailed, or ImportStopped if `should_stop`
    returns true; the session is then unchanged.
    """
    path = normalized_path(path)
    with errors_naming(path):
        identity = file_identity(path)
        opened = open_for_import(path, roles or {}, should_stop, progress)
        folder = None if spectra is None else _folder(spectra)
        with _source(path, opened, roles or {}, folder, allow_absolute, should_stop) as source:
            sha256 = (
                opened.file.sha256 if isinstance(opened.file, FolderList) else file_sha256(path)
            )
            source.warm_up()
            _drop_order_indexes(session, opened.file.estimate)
            run = ImportRun(path, opened, source, progress, should_stop)
            with session.database.writing() as connection:
                report = run.store(connection, sha256)
                if not path.is_dir() and file_identity(path) != identity:
                    raise ImportFailed("it was changed during the import: try again")
    if "score" in report.roles and session.fact(ORDER) is None:
        session.set_fact(ORDER, "score")
    session.changed.emit(Change(aspect="list"))
    return report


@contextmanager
def _source(
    path: Path,
    opened: OpenedList,
    roles: Mapping[str, str],
    spectra: Path | None,
    allow_absolute: bool,
    should_stop: ShouldStop,
) -> Iterator[EntrySource]:
    """A source in this process, or in a child process for large files."""
    if not isinstance(opened.file, FolderList) and file_identity(path).size > CHILD_PROCESS_BYTES:
        with ListReaderProcess(
            path, roles, spectra, allow_absolute=allow_absolute, should_stop=should_stop
        ) as child:
            yield child
    else:
        locator = SpectrumLocator(
            path, spectra, allow_absolute=allow_absolute, should_stop=should_stop
        )
        yield InProcessSource(opened, locator)


def _drop_order_indexes(session: Session, rows: int | None) -> None:
    if session.database.is_file and (rows is None or rows > BULK_ROWS):
        drop_order_indexes(session)


def _folder(path: Path | str) -> Path:
    folder = normalized_path(path)
    if not folder.is_dir():
        raise ImportFailed(f"{folder}, given for the spectra, is not a folder")
    return folder
