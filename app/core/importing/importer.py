"""A list into a session: all of it in one transaction, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from app.core.importing.child.parent import ListReaderProcess
from app.core.importing.errors import ImportFailed
from app.core.importing.folder_list import FolderList
from app.core.importing.folder_walk import Progress, ShouldStop, never, silent
from app.core.importing.import_run import ImportRun
from app.core.importing.opening import OpenedList, find_list, identity_of, naming, normal, sha256_of
from app.core.importing.places import Places
from app.core.importing.reading import Reading, Source
from app.core.importing.reports import ImportReport, Preview
from app.core.importing.storing import BULK
from app.core.queue import drop_order_indexes
from app.core.session.records import Change
from app.core.session.session import Session

SHOWN_ROWS = 20
LARGE = 8 * 1024 * 1024
"""Bytes."""
ORDER = "order"
"""The fact that says in which order a session is gone through at first."""


def preview(path: Path | str, *, roles: Mapping[str, str] | None = None) -> Preview:
    """The beginning of a list, and what its columns would be taken for."""
    place = normal(path)
    with naming(place):
        found = find_list(place, roles or {})
        return Preview(
            format=found.file.format,
            columns=found.file.columns,
            rows=tuple(found.sample.rows[:SHOWN_ROWS]),
            roles=found.roles,
            estimate=found.file.estimate,
            refused=tuple(found.sample.refused[:SHOWN_ROWS]),
            warnings=(*found.notes, *found.file.warnings()),
        )


def import_list(
    session: Session,
    path: Path | str,
    *,
    roles: Mapping[str, str] | None = None,
    spectra: Path | str | None = None,
    allow_absolute: bool = False,
    progress: Progress = silent,
    should_stop: ShouldStop = never,
) -> ImportReport:
    """Take a list's rows over as candidates.

    `roles` gives the column of a role where the guess is wrong, '' for none. Files that the list
    names lie in its own folder or in `spectra`; others are refused, unless `allow_absolute` and
    the list gives them as absolute paths. Raises ImportFailed, or ImportStopped once `should_stop`
    says so; then the session is as it was.
    """
    place = normal(path)
    with naming(place):
        identity = identity_of(place)
        found = find_list(place, roles or {}, should_stop, progress)
        folder = None if spectra is None else _folder(spectra)
        with _source(place, found, roles or {}, folder, allow_absolute, should_stop) as source:
            sha256 = found.file.sha256 if isinstance(found.file, FolderList) else sha256_of(place)
            source.prime()
            _drop_order_indexes(session, found.file.estimate)
            run = ImportRun(place, found, source, progress, should_stop)
            with session.database.writing() as connection:
                report = run.store(connection, sha256)
                if not place.is_dir() and identity_of(place) != identity:
                    raise ImportFailed("it was changed while it was read: try again")
    if "score" in report.roles and session.fact(ORDER) is None:
        session.set_fact(ORDER, "score")
    session.changed.emit(Change(aspect="list"))
    return report


@contextmanager
def _source(
    path: Path,
    found: OpenedList,
    roles: Mapping[str, str],
    spectra: Path | None,
    allow_absolute: bool,
    should_stop: ShouldStop,
) -> Iterator[Source]:
    """A large file is read by a process of its own."""
    if not isinstance(found.file, FolderList) and identity_of(path).size > LARGE:
        with ListReaderProcess(
            path, roles, spectra, allow_absolute=allow_absolute, should_stop=should_stop
        ) as elsewhere:
            yield elsewhere
    else:
        places = Places(path, spectra, allow_absolute=allow_absolute, should_stop=should_stop)
        yield Reading(found, places)


def _drop_order_indexes(session: Session, rows: int | None) -> None:
    if session.database.is_file and (rows is None or rows > BULK):
        drop_order_indexes(session)


def _folder(path: Path | str) -> Path:
    place = normal(path)
    if not place.is_dir():
        raise ImportFailed(f"{place}, given for the spectra, is no folder")
    return place
