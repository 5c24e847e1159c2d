"""Reads the log from its end, page by page."""

from dataclasses import dataclass

from sqlalchemy import select

from app.core.database.tables import candidates, log, reviewers
from app.core.session.records import LogEntry
from app.core.session.session import Session
from app.core.session.stored_opinions import entry_from

PAGE = 100


@dataclass(frozen=True, kw_only=True)
class LogLine:
    entry: LogEntry
    object_id: str


def older_lines(
    session: Session, before: int | None = None, limit: int = PAGE
) -> tuple[LogLine, ...]:
    """The lines before the one with id `before`, newest first; None: the newest."""
    query = (
        select(log, reviewers.c.name, candidates.c.object_id)
        .join(reviewers, reviewers.c.id == log.c.reviewer_id)
        .join(candidates, candidates.c.id == log.c.candidate_id)
        .order_by(log.c.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(log.c.id < before)
    rows = session.database.rows(query)
    return tuple(LogLine(entry=entry_from(r, r.name), object_id=str(r.object_id)) for r in rows)
