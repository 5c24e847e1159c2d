"""Tells a session which files were fetched for its candidates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import case, update

from app.core.database.tables import MIN_TARGETID, candidates
from app.core.fetching.fetch_run import FetchedRow
from app.core.session.records import Change
from app.core.session.session import Session
from app.core.session.spectra_folders import allow_folders


def keep_in_session(session: Session, fetched: Sequence[FetchedRow], folder: Path) -> int:
    """Set path and hash of the candidates; how many got a file. The first of several counts."""
    first: dict[int, FetchedRow] = {}
    for each in fetched:
        if each.row.candidate_id:
            first.setdefault(each.row.candidate_id, each)
    if not first:
        return 0
    folder = folder.absolute()
    is_target = candidates.c.row >= MIN_TARGETID  # other rows counted in a file of many
    with session.database.writing() as connection:
        for candidate_id, each in first.items():
            connection.execute(
                update(candidates)
                .where(candidates.c.id == candidate_id)
                .values(
                    row=case((is_target, candidates.c.row), else_=0),
                    path=str(folder / each.record.file),
                    file_sha256=each.record.sha256,
                    fault="",
                )
            )
    allow_folders(session.id, [folder])
    session.changed.emit(Change(aspect="list", candidate_ids=frozenset(first)))
    return len(first)
