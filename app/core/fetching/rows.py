"""The rows of a list, or the candidates without a file of a session, as spectra to be fetched."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import exists, select

from app.core.database.tables import MIN_TARGETID, candidates, packed_spectra
from app.core.importing.child.parent import ListReaderProcess
from app.core.importing.entries import FIELDS
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.opening import errors_naming, file_identity, normalized_path
from app.core.importing.role_names import normalized_name
from app.core.importing.spectrum_files import stem_of
from app.core.progress import ShouldStop, never
from app.core.session.records import NOTHING, Candidate
from app.core.session.session import Session, list_roles
from app.services.archives.wanted import Wanted, with_name_of_file

PAGE = 1000


@dataclass(frozen=True, kw_only=True)
class FetchRow:
    """A spectrum to be fetched, with what else its list says about it."""

    wanted: Wanted
    candidate_id: int = 0
    """In a session."""
    score: float | None = None
    label: str = ""
    snr: float | None = None
    own: Mapping[str, Any] = field(default_factory=lambda: NOTHING)


def rows_of_list(
    path: Path | str,
    roles: Mapping[str, str] | None = None,
    *,
    limit: int | None = None,
    should_stop: ShouldStop = never,
) -> list[FetchRow]:
    """The first `limit` rows of a list, whose spectra need not exist. Raises ImportFailed."""
    path = normalized_path(path)
    with errors_naming(path):
        file_identity(path)
        with ListReaderProcess(
            path, roles or {}, allow_absolute=True, should_stop=should_stop
        ) as reader:
            columns = reader.opened().roles.columns
            while True:
                try:
                    return list(islice(_rows(reader, columns), limit))
                except CellMismatch:  # it is read again, with other types of its columns
                    continue


def missing_in_session(session: Session, *, limit: int | None = None) -> list[FetchRow]:
    """The candidates whose spectrum is neither packed nor a file that is there."""
    return list(islice(_missing(session), limit))


def row_of_candidate(candidate: Candidate, roles: Mapping[str, str]) -> FetchRow:
    """`roles` are the columns of the candidate's list."""
    return _row(
        candidate_id=candidate.id,
        line=candidate.line,
        object_id=candidate.object_id,
        path=candidate.path,
        row=candidate.row,
        ra=candidate.ra,
        dec=candidate.dec,
        score=candidate.score,
        label=candidate.label,
        snr=candidate.snr,
        own=candidate.own,
        roles=roles,
    )


def _rows(reader: ListReaderProcess, roles: Mapping[str, str]) -> Iterator[FetchRow]:
    for entries in reader.entries():
        for values in zip(*entries.columns, strict=True):
            given = dict(zip(FIELDS, values, strict=True))
            given.pop("listed_path")
            given["own"] = json.loads(given["own"])
            yield _row(roles=roles, **given)


def _row(
    *,
    line: int,
    object_id: str,
    path: str,
    row: int,
    ra: float | None,
    dec: float | None,
    score: float | None,
    label: str,
    snr: float | None,
    own: Mapping[str, Any],
    roles: Mapping[str, str],
    candidate_id: int = 0,
) -> FetchRow:
    kept = dict(own)
    if (name := roles.get("object_id", "object_id")) != "object_id":
        kept[name] = object_id
    if row >= MIN_TARGETID:
        kept[roles.get("row", "targetid")] = row
    ids = {normalized_name(name): _text(value) for name, value in kept.items()}
    wanted = Wanted(line=line, object_id=object_id, ra=ra, dec=dec, ids=ids)
    for stem in (stem_of(path.replace("\\", "/").rpartition("/")[2]), f"spec-{object_id}"):
        wanted = with_name_of_file(wanted, stem)
    return FetchRow(
        wanted=wanted, candidate_id=candidate_id, score=score, label=label, snr=snr, own=kept
    )


def _text(value: object) -> str:
    return "" if value is None or isinstance(value, list | dict) else str(value)


def _missing(session: Session) -> Iterator[FetchRow]:
    roles = list_roles(session)
    last = 0
    is_packed = exists().where(packed_spectra.c.candidate_id == candidates.c.id)
    while True:
        query = (
            select(candidates.c.id, candidates.c.path, is_packed)
            .where(candidates.c.id > last)
            .order_by(candidates.c.id)
            .limit(PAGE)
        )
        with session.database.reading() as connection:
            page = connection.execute(query).all()
        if not page:
            return
        last = page[-1][0]
        wanted = [number for number, path, packed in page if not packed and is_missing(path)]
        for candidate in session.candidates(wanted):
            yield row_of_candidate(candidate, roles.get(candidate.list_id, {}))


def is_missing(path: str) -> bool:
    """Whether a file is not there; one on another computer is taken to be."""
    # Asking for it would send this person's credentials there on Windows.
    if path.startswith(("\\\\", "//")):
        return False
    try:
        return not path or not Path(path).is_file()
    except (OSError, ValueError):
        return True
