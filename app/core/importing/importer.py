"""Import a list into a session, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from agent.checked_toml import is_unicode
from app.core.errors import ImportFailed
from app.core.importing.child.parent import ListReaderProcess
from app.core.importing.import_run import ImportRun
from app.core.importing.opening import (
    errors_naming,
    file_identity,
    file_sha256,
    named,
    normalized_path,
)
from app.core.importing.reports import ImportReport, Preview
from app.core.importing.storing import BULK_ROWS
from app.core.progress import EstimatedProgress, ShouldStop, never, silent
from app.core.queue import drop_order_indexes
from app.core.session.list_folders import allow_list_folders
from app.core.session.records import Change
from app.core.session.session import Session
from app.core.session.spectra_folders import allow_folders, outside_folders

ORDER = "order"
"""Key of the session fact that holds the initial order of the queue."""


def look_at(
    path: Path | str,
    roles: Mapping[str, str] | None = None,
    *,
    should_stop: ShouldStop = never,
    progress: EstimatedProgress = silent,
) -> Preview:
    """The first rows of a list and the roles of its columns, or its `problem`.

    `progress` counts the spectra found in a folder. Raises ImportStopped if `should_stop`, which
    is called in another thread too, returns true.
    """
    path = normalized_path(path)
    try:
        with errors_naming(path):
            file_identity(path)
            with ListReaderProcess(
                path, roles or {}, is_preview=True, should_stop=should_stop, progress=progress
            ) as reader:
                found = reader.opened()
    except ImportFailed as error:
        return Preview(problem=str(error))
    return replace(found, problem=named(path, found.problem)) if found.problem else found


def preview(path: Path | str, *, roles: Mapping[str, str] | None = None) -> Preview:
    """The first rows of a list and the roles of its columns. Raises ImportFailed."""
    found = look_at(path, roles)
    if found.problem:
        raise ImportFailed(found.problem)
    return found


def import_list(
    session: Session,
    path: Path | str,
    *,
    roles: Mapping[str, str] | None = None,
    spectra: Path | str | None = None,
    allow_absolute: bool = False,
    allowed: Iterable[str] = (),
    progress: EstimatedProgress = silent,
    should_stop: ShouldStop = never,
) -> ImportReport:
    """Import the rows of a list as candidates.

    `roles` maps roles to column names where the guess is wrong, '' for no column. Spectrum files
    must be in the folder of the list or in `spectra`; others are refused, unless the list gives
    absolute paths and these are in one of the `allowed` folders or `allow_absolute` is set. The
    answer is remembered for the session and for the list. Raises ImportFailed, or ImportStopped if
    `should_stop`, which is called in another thread too, returns true; the session is then
    unchanged.
    """
    path, allowed = normalized_path(path), tuple(allowed)
    with errors_naming(path):
        identity = file_identity(path)
        folder = None if spectra is None else _folder(spectra)
        with ListReaderProcess(
            path,
            roles or {},
            spectra=folder,
            allow_absolute=allow_absolute,
            allowed=allowed,
            should_stop=should_stop,
            progress=progress,
        ) as reader:
            opened = reader.opened()
            sha256 = opened.sha256 or file_sha256(path)
            reader.warm_up()
            _drop_order_indexes(session, opened.estimate)
            run = ImportRun(path, opened, reader, progress, should_stop)
            with session.database.writing() as connection:
                report = run.store(connection, sha256)
                if not path.is_dir() and file_identity(path) != identity:
                    raise ImportFailed("it was changed during the import: try again")
    its_folder = path if path.is_dir() else path.parent
    allow_folders(session.id, [its_folder, folder or its_folder])
    if allow_absolute:
        allow_folders(session.id, outside_folders(session))
    elif allowed:
        allow_folders(session.id, allowed)
        allow_list_folders(path, allowed)
    if "score" in report.roles and session.fact(ORDER) is None:
        session.set_fact(ORDER, "score")
    session.changed.emit(Change(aspect="list"))
    return report


def _drop_order_indexes(session: Session, rows: int | None) -> None:
    if session.database.is_file and (rows is None or rows > BULK_ROWS):
        drop_order_indexes(session)


def _folder(path: Path | str) -> Path:
    folder = normalized_path(path)
    if not is_unicode(str(folder)):
        raise ImportFailed("rename the folder of the spectra: its name is not valid Unicode")
    if not folder.is_dir():
        raise ImportFailed(f"{folder}, given for the spectra, is not a folder")
    return folder
