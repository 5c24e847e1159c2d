"""The log of a session for people to read, a line of text each, or as CSV for a program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Row, select

from agent.checked_toml import printable
from app.core.atomic_file import written_whole
from app.core.database.tables import candidates, log, reviewers
from app.core.exporting.escapes import unformulaed
from app.core.exporting.formats.cells import Spelling, cells_text, is_plain, lines_text, quoted
from app.core.exporting.opinions import flags_text, time_text
from app.core.session.records import LogEntry
from app.core.session.session import Session
from app.core.session.stored_opinions import entry_from

PAGE = 500
MAX_SHOWN = 200
COLUMNS = (
    *("line", "at", "reviewer", "action", "object_id", "candidate", "verdict", "confidence"),
    *("flags", "comment", "seconds", "agent_shown", "from_session", "from_line"),
)


def log_lines(session: Session, candidate_id: int | None = None) -> Iterator[str]:
    """Oldest first, of one candidate or of all; nothing in them that a terminal obeys."""
    for page in _pages(session, candidate_id):
        for row in page:
            yield _line(row, entry_from(row, row.name))


def write_log(session: Session, out: Path) -> int:
    """As CSV, the file whole or not at all; how many lines there were.

    Formulas are escaped as in every CSV of ours: see app.core.exporting.escapes.
    """
    says = [Spelling(_csv_said, is_plain) for _ in COLUMNS]
    count = 0
    with written_whole(out) as file:
        file.write((",".join(COLUMNS) + "\n").encode())
        for page in _pages(session, None):
            rows = [_cells(row, entry_from(row, row.name)) for row in page]
            columns = [*zip(*rows, strict=True)]
            texts = [cells_text(cells, say) for cells, say in zip(columns, says, strict=True)]
            file.write(lines_text(texts).encode("utf-8", "replace"))
            count += len(rows)
    return count


def _pages(session: Session, candidate_id: int | None) -> Iterator[list[Row[Any]]]:
    query = (
        select(log, reviewers.c.name, candidates.c.object_id)
        .join(reviewers, reviewers.c.id == log.c.reviewer_id)
        .join(candidates, candidates.c.id == log.c.candidate_id)
        .order_by(log.c.id)
        .limit(PAGE)
    )
    if candidate_id is not None:
        query = query.where(log.c.candidate_id == candidate_id)
    after = 0
    while True:
        with session.database.reading() as connection:
            rows = connection.execute(query.where(log.c.id > after)).all()
        if not rows:
            return
        yield list(rows)
        after = rows[-1].id


def _line(row: Row[Any], entry: LogEntry) -> str:
    opinion = entry.opinion
    done = "" if entry.action == "set" else f"{entry.action}: "
    said = [done + (str(opinion.verdict) if opinion.verdict is not None else "no verdict")]
    if opinion.confidence is not None:
        said.append(f"confidence {opinion.confidence}")
    if opinion.flags:
        said.append(f"[{', '.join(opinion.flags)}]")
    if opinion.comment:
        said.append(f'"{" ".join(opinion.comment.split())}"')
    if entry.seconds is not None:
        said.append(f"{entry.seconds:.1f} s")
    if entry.shown:
        said.append(f"the agent had said {_shown(entry)}")
    if row.origin:
        said.append("merged in")
    parts = (entry.at[:19].replace("T", " "), entry.reviewer, str(row.object_id), ", ".join(said))
    return "  ".join(printable(part, MAX_SHOWN) for part in parts)


def _shown(entry: LogEntry) -> str:
    words = (f"{key} {value}" for key, value in entry.shown.items())
    return " ".join(words)


def _cells(row: Row[Any], entry: LogEntry) -> tuple[Any, ...]:
    opinion = entry.opinion
    return (
        entry.id,
        time_text(entry.at),
        entry.reviewer,
        entry.action,
        row.object_id,
        entry.candidate_id,
        None if opinion.verdict is None else str(opinion.verdict),
        opinion.confidence,
        flags_text(opinion.flags),
        opinion.comment,
        entry.seconds,
        json.dumps(dict(entry.shown)) if entry.shown else "",
        row.origin,
        row.origin_id,
    )


def _csv_said(text: str) -> str:
    return quoted(unformulaed(text))
