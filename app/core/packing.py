"""A session to send to a colleague: one file, with the spectra inside."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from sqlalchemy import delete, func, insert, select
from sqlalchemy.exc import DBAPIError

from agent.errors import ReadError
from agent.spectra.spectrum import Spectrum
from app.core.atomic_file import disk_errors, flush_folder
from app.core.database.database import SUFFIX, Database
from app.core.database.error_messages import advice
from app.core.database.session_file import SUFFIXES_BESIDE
from app.core.database.tables import candidates, facts, metadata, packed_spectra
from app.core.errors import SessionError
from app.core.prefetch import read_wanted, wanted
from app.core.progress import Progress, ShouldStop, Steps
from app.core.session.records import Candidate
from app.core.session.session import Session, candidate_of
from app.core.spectrum_bytes import from_bytes, to_bytes

PAGE = 50
ROWS = 500
MAX_LISTED = 1000
REFUSED = ("SQLITE_FULL", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_IOERR_WRITE")
"""How SQLite calls what keeps a file from being written."""
MAX_PACKED = 256 * 1024**2
"""Bytes of one packed spectrum; real ones have some ten thousand."""


@dataclass(frozen=True, kw_only=True)
class Unreadable:
    """A candidate without a spectrum in the packed session, and why."""

    candidate_id: int
    object_id: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class PackReport:
    path: Path
    candidates: int
    packed: int
    bytes: int
    """Of the file."""
    unreadable: tuple[Unreadable, ...]
    """The first thousand of those that are not in it."""


def read_spectrum(session: Session, candidate: Candidate) -> Spectrum:
    """The one that is packed in the session, or that of the file. Raises ReadError."""
    packed = packed_spectrum(session, candidate.id)
    return read_wanted(wanted(candidate)) if packed is None else packed


def packed_spectrum(session: Session, candidate_id: int) -> Spectrum | None:
    """None where the session has none of this candidate. Raises ReadError."""
    here = packed_spectra.c.candidate_id == candidate_id
    size = func.length(packed_spectra.c.content)
    with session.database.reading() as connection:
        measured = connection.execute(select(size).where(here)).scalar()
        if measured is None:
            return None
        if measured > MAX_PACKED:
            raise ReadError(f"its packed spectrum of {measured} bytes is too large")
        row = connection.execute(select(packed_spectra).where(here)).one()
    if not isinstance(row.content, bytes) or _sha256(row.content) != row.sha256:
        raise ReadError("its packed spectrum is damaged: its hash is another")
    return from_bytes(row.content)


def pack(
    session: Session,
    out: Path,
    *,
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> PackReport:
    """Write a copy of the session, with all that was decided, that needs no other file.

    Spectra that cannot be read are left out and listed. Raises StoppedError.
    """
    out = out if out.suffix == SUFFIX else out.with_name(out.name + SUFFIX)
    if out.exists():
        raise SessionError(f"{out} is there already: choose another name")
    if not out.parent.is_dir():
        raise SessionError(f"{out.parent} is not a folder; make it first")
    count = session.count()
    steps = Steps("packing", count, progress, should_stop)
    with _named(out), _draft(out) as draft:
        _copy(session, draft)
        with closing(Database(draft, "write")) as copy:
            packed, missing = _add_spectra(copy, steps)
        _refuse_unfinished(draft, out)
        with disk_errors(out):
            size = draft.stat().st_size
            draft.rename(out)
            flush_folder(out.parent)
    return PackReport(
        path=out, candidates=count, packed=packed, bytes=size, unreadable=tuple(missing)
    )


@contextmanager
def _named(out: Path) -> Iterator[None]:
    """What the disk refuses is the copy, not the session it is made of."""
    try:
        yield
    except SessionError as error:
        cause = error.__cause__
        if not isinstance(cause, DBAPIError | sqlite3.Error):
            raise
        own = cause.orig if isinstance(cause, DBAPIError) else cause
        if not getattr(own, "sqlite_errorname", "").startswith(REFUSED):
            raise
        raise SessionError(f"{out} could not be written: {advice(cause)}") from error


@contextmanager
def _draft(out: Path) -> Iterator[Path]:
    """A name in the same folder; nothing of it is left behind."""
    draft = out.with_name(f".{out.stem[:60]}.{uuid4().hex[:8]}.part")
    try:
        yield draft
    finally:
        for suffix in ("", *SUFFIXES_BESIDE):
            draft.with_name(draft.name + suffix).unlink(missing_ok=True)


def _refuse_unfinished(draft: Path, out: Path) -> None:
    """Closing moves what was written into the file, and says nothing where there is no room."""
    log = draft.with_name(draft.name + "-wal")
    with suppress(FileNotFoundError):
        if log.stat().st_size:
            raise SessionError(
                f"{out} could not be written: the disk did not take all of it. Nothing was lost: "
                "make room, then do it again"
            )


def _copy(session: Session, draft: Path) -> None:
    if session.database.is_file:
        session.database.copy_to(draft)
        return
    with (
        closing(Database(draft, "create")) as copy,
        session.database.reading() as source,
        copy.writing() as target,
    ):
        target.execute(delete(facts))
        for table in metadata.sorted_tables:
            rows = source.execution_options(yield_per=ROWS).execute(select(table))
            for some in rows.mappings().partitions():
                target.execute(insert(table), [dict(row) for row in some])


def _add_spectra(copy: Database, steps: Steps) -> tuple[int, list[Unreadable]]:
    """How many are in the copy now, and the first of those that are not."""
    packed = 0
    missing: list[Unreadable] = []
    for page in _pages(copy):
        there = _packed_already(copy, page)
        found = []
        for candidate in page:
            if candidate.id in there:
                continue
            try:
                content = to_bytes(read_wanted(wanted(candidate)))
            except ReadError as error:
                if len(missing) < MAX_LISTED:
                    missing.append(_unreadable(candidate, error))
                continue
            found.append(
                {"candidate_id": candidate.id, "sha256": _sha256(content), "content": content}
            )
        if found:
            with copy.writing() as connection:
                connection.execute(insert(packed_spectra), found)
        packed += len(found) + len(there)
        steps.step(len(page))
    return packed, missing


def _pages(copy: Database) -> Iterator[list[Candidate]]:
    query, after = select(candidates).order_by(candidates.c.id).limit(PAGE), 0
    while True:
        with copy.reading() as connection:
            rows = connection.execute(query.where(candidates.c.id > after)).all()
        if not rows:
            return
        yield [candidate_of(row) for row in rows]
        after = rows[-1].id


def _packed_already(copy: Database, page: list[Candidate]) -> set[int]:
    number = packed_spectra.c.candidate_id
    with copy.reading() as connection:
        query = select(number).where(number.between(page[0].id, page[-1].id))
        return set(connection.execute(query).scalars())


def _unreadable(candidate: Candidate, error: ReadError) -> Unreadable:
    return Unreadable(candidate_id=candidate.id, object_id=candidate.object_id, reason=str(error))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
