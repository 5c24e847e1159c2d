"""Packing: copy a session together with its spectra into one file to send to a colleague."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy import delete, func, insert, select, type_coerce
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import NULLTYPE

from agent.atomic_file import sync_folder
from agent.errors import ReadError
from agent.hashing import bytes_hash
from agent.spectra.spectrum import Spectrum
from agent.spectra.spectrum_bytes import from_bytes, to_bytes
from agent.spectra.urls import is_url, url_folder
from app.core.database.database import SUFFIX, Database
from app.core.database.error_messages import explain
from app.core.database.paging import pages
from app.core.database.session_file import SIDE_SUFFIXES
from app.core.database.tables import candidates, facts, metadata, packed_spectra
from app.core.errors import SessionError, disk_errors
from app.core.progress import Progress, ShouldStop, Steps
from app.core.session.records import Candidate
from app.core.session.session import Session, candidate_of
from app.core.session.spectra_folders import (
    allowed_folders,
    is_within,
    refuse_outside_folders,
    summarized,
)
from app.core.spectra.prefetch import read_by_key, spectrum_key

PAGE = 50
ROWS = 500
MAX_LISTED = 1000
# SQLite error names that mean the copy could not be written.
WRITE_ERRORS = ("SQLITE_FULL", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_IOERR_WRITE")
MAX_PACKED = 128 * 1024**2  # Bytes of one packed spectrum; real ones have about ten thousand.


@dataclass(frozen=True)
class Unreadable:
    candidate_id: int
    object_id: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class PackReport:
    path: Path
    candidates: int
    packed: int
    bytes: int  # size of the file
    unreadable: tuple[Unreadable, ...]  # at most MAX_LISTED candidates without a packed spectrum
    folders: tuple[str, ...]  # where the spectra were taken from, summarized


def read_spectrum(session: Session, candidate: Candidate) -> Spectrum:
    """The packed spectrum if the session has one, else the one in the file. Raises ReadError."""
    packed = packed_spectrum(session, candidate.id)
    return read_by_key(spectrum_key(candidate)) if packed is None else packed


def packed_spectrum(session: Session, candidate_id: int) -> Spectrum | None:
    """The packed spectrum, None if this candidate has none. Raises ReadError."""
    is_this = packed_spectra.c.candidate_id == candidate_id
    size = func.length(packed_spectra.c.content)
    # Whatever they are: one that is no spectrum is that candidate's fault, not the session's.
    as_stored = [type_coerce(packed_spectra.c[name], NULLTYPE) for name in ("content", "sha256")]
    with session.database.reading() as connection:
        length = connection.execute(select(size).where(is_this)).scalar()
        if length is None:
            return None
        if length > MAX_PACKED:
            raise ReadError(f"the packed spectrum is too large ({length} bytes)")
        row: Any = connection.execute(select(*as_stored).where(is_this)).one()
    content, sha256 = row[0], row[1]
    if not isinstance(content, bytes) or bytes_hash(content) != sha256:
        raise ReadError("the packed spectrum is damaged: its hash does not match")
    return from_bytes(content)


def pack(
    session: Session,
    out: Path,
    *,
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> PackReport:
    """Write a self-contained copy of the session, with all verdicts and spectra.

    Spectra that cannot be read are left out and listed in the report. Raises StoppedError, or
    OutsideFoldersError before anything is read.
    """
    out = out if out.suffix == SUFFIX else out.with_name(out.name + SUFFIX)
    if out.exists():
        raise SessionError(f"{out} already exists: choose another name")
    if not out.parent.is_dir():
        raise SessionError(f"{out.parent} is not an existing folder: create it first")
    refuse_outside_folders(session)
    source = _Source(allowed_folders(session) if session.database.is_file else None)
    candidate_count = session.count()
    steps = Steps("packing", candidate_count, progress, should_stop)
    with _errors_naming(out), temporary_path(out) as temporary:
        _copy(session, temporary)
        with closing(Database(temporary, "write")) as copy:
            packed, unreadable = _add_spectra(copy, source, steps)
        check_complete(temporary, out)
        with disk_errors(out):
            size = temporary.stat().st_size
            temporary.rename(out)
            sync_folder(out.parent)
    return PackReport(
        path=out,
        candidates=candidate_count,
        packed=packed,
        bytes=size,
        unreadable=tuple(unreadable),
        folders=summarized(source.folders),
    )


@contextmanager
def _errors_naming(out: Path) -> Iterator[None]:
    """Make write errors of SQLite name the copy instead of the session it is made from."""
    try:
        yield
    except SessionError as error:
        cause = error.__cause__
        if not isinstance(cause, DBAPIError | sqlite3.Error):
            raise
        original = cause.orig if isinstance(cause, DBAPIError) else cause
        if not getattr(original, "sqlite_errorname", "").startswith(WRITE_ERRORS):
            raise
        raise SessionError(f"{out} could not be written: {explain(cause)}") from error


@contextmanager
def temporary_path(out: Path) -> Iterator[Path]:
    """Yield an unused path in the same folder, removing the file and its side files at the end."""
    temporary = out.with_name(f".{out.stem[:60]}.{uuid4().hex[:8]}.part")
    try:
        yield temporary
    finally:
        for suffix in ("", *SIDE_SUFFIXES):
            temporary.with_name(temporary.name + suffix).unlink(missing_ok=True)


def check_complete(temporary: Path, out: Path) -> None:
    """Raise if the write-ahead log could not be merged into the file."""
    # On a full disk SQLite closes without an error and leaves the data in the log.
    log = temporary.with_name(temporary.name + "-wal")
    with suppress(FileNotFoundError):
        if log.stat().st_size:
            raise SessionError(
                f"{out} could not be written: the disk is full. Nothing was lost: free some "
                "space and try again"
            )


def _copy(session: Session, temporary: Path) -> None:
    if session.database.is_file:
        session.database.copy_to(temporary)
        return
    with (
        closing(Database(temporary, "create")) as copy,
        session.database.reading() as source,
        copy.writing() as target,
    ):
        target.execute(delete(facts))
        for table in metadata.sorted_tables:
            rows = source.execution_options(yield_per=ROWS).execute(select(table))
            for chunk in rows.mappings().partitions():
                target.execute(insert(table), [dict(row) for row in chunk])


class _Source:
    """Reads spectra from their files, which must be in some folders even if they are links."""

    def __init__(self, allowed: tuple[str, ...] | None) -> None:
        self._allowed = None
        if allowed is not None:
            self._allowed = [one if is_url(one) else os.path.realpath(one) for one in allowed]
        self.folders: set[str] = set()

    def read(self, candidate: Candidate) -> Spectrum:
        key = spectrum_key(candidate)
        if not key.path or "\0" in key.path:
            return read_by_key(key)  # which says why
        is_remote = is_url(key.path)
        folder = url_folder(key.path) if is_remote else str(Path(os.path.realpath(key.path)).parent)
        is_allowed = self._allowed is None or any(is_within(folder, one) for one in self._allowed)
        if not is_allowed:
            raise ReadError(f"{key.path} leads outside the folders of this session's spectra")
        spectrum = read_by_key(key)
        self.folders.add(folder)
        return spectrum


def _add_spectra(copy: Database, source: _Source, steps: Steps) -> tuple[int, list[Unreadable]]:
    """Pack all readable spectra; returns how many the copy holds and the first unreadable ones."""
    packed = 0
    unreadable: list[Unreadable] = []
    for rows in pages(copy, select(candidates), candidates.c.id, at_once=PAGE):
        page = [candidate_of(row) for row in rows]
        number = packed_spectra.c.candidate_id
        query = select(number).where(number.between(page[0].id, page[-1].id))
        already = set(copy.scalars(query))
        new_rows = []
        for candidate in page:
            if candidate.id in already:
                continue
            try:
                content = to_bytes(source.read(candidate))
            except ReadError as error:
                if len(unreadable) < MAX_LISTED:
                    unreadable.append(Unreadable(candidate.id, candidate.object_id, str(error)))
                continue
            new_rows.append(
                {"candidate_id": candidate.id, "sha256": bytes_hash(content), "content": content}
            )
        if new_rows:
            with copy.writing() as connection:
                connection.execute(insert(packed_spectra), new_rows)
        packed += len(new_rows) + len(already)
        steps.step(len(page))
    return packed, unreadable
