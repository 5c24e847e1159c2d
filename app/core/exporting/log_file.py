"""The verdict log as lines of text for people, or as CSV for programs."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Row, select

from agent.atomic_file import atomic_file
from agent.checked_toml import printable
from app.core.database.paging import pages
from app.core.database.tables import candidates, log, reviewers
from app.core.errors import disk_errors
from app.core.exporting.formats.csv_file import write_csv
from app.core.exporting.opinions import flags_text, time_text
from app.core.session.known_answers import not_known
from app.core.session.own_fields import value_text
from app.core.session.records import LogEntry
from app.core.session.session import Session
from app.core.session.stored_opinions import entry_from
from app.core.session.subclass_and_fields import values_text
from app.core.session.velocity import velocity_english, velocity_json

PAGE = 500
MAX_SHOWN = 200
COLUMNS = (
    *("line", "at", "reviewer", "action", "object_id", "candidate", "verdict", "confidence"),
    *("flags", "comment", "subclass", "fields", "velocity"),
    *("seconds", "order_met", "agent_shown", "from_session", "from_line"),
)


def log_lines(session: Session, candidate_id: int | None = None) -> Iterator[str]:
    """The log of one candidate, or of all but the known answers, oldest first.

    Without terminal control characters.
    """
    for page in _pages(session, candidate_id):
        for row in page:
            yield _line(row, entry_from(row, row.name))


def write_log(session: Session, out: Path) -> int:
    """Write the log as CSV, atomically; returns the number of lines.

    Lines about hidden candidates with a known answer are left out, as in a catalogue.
    Formulas are escaped as in a catalogue, see app.core.exporting.escapes.
    """
    rows = ([_cells(row, entry_from(row, row.name)) for row in page] for page in _pages(session))
    with disk_errors(out), atomic_file(out) as file:
        return write_csv(file, COLUMNS, ([*zip(*page, strict=True)] for page in rows))


def _pages(session: Session, candidate_id: int | None = None) -> Iterator[Sequence[Row[Any]]]:
    number = log.c.candidate_id
    query = (
        select(log, reviewers.c.name, candidates.c.object_id)
        .join(reviewers, reviewers.c.id == log.c.reviewer_id)
        .join(candidates, candidates.c.id == log.c.candidate_id)
        .where(not_known(number) if candidate_id is None else number == candidate_id)
    )
    return pages(session.database, query, log.c.id, at_once=PAGE)


def _line(row: Row[Any], entry: LogEntry) -> str:
    opinion = entry.opinion
    action = "" if entry.action == "set" else f"{entry.action}: "
    parts = [action + (str(opinion.verdict) if opinion.verdict is not None else "no verdict")]
    if opinion.confidence is not None:
        parts.append(f"confidence {opinion.confidence}")
    if opinion.flags:
        parts.append(f"[{', '.join(opinion.flags)}]")
    if opinion.subclass:
        parts.append(opinion.subclass)
    parts += [f"{name} = {value_text(value)}" for name, value in opinion.fields]
    if opinion.velocity is not None:
        parts.append(velocity_english(opinion.velocity))
    if opinion.comment:
        parts.append(f'"{" ".join(opinion.comment.split())}"')
    if entry.seconds is not None:
        parts.append(f"{entry.seconds:.1f} s")
    if entry.order_met:
        parts.append(f"order {entry.order_met}")
    if entry.shown:
        words = " ".join(f"{key} {value}" for key, value in entry.shown.items())
        parts.append(f"agent opinion shown: {words}")
    if row.origin:
        parts.append("merged")
    cells = (entry.at[:19].replace("T", " "), entry.reviewer, str(row.object_id), ", ".join(parts))
    return "  ".join(printable(cell, MAX_SHOWN) for cell in cells)


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
        opinion.subclass,
        values_text(opinion.fields),
        velocity_json(opinion.velocity),
        entry.seconds,
        entry.order_met,
        json.dumps(dict(entry.shown)) if entry.shown else "",
        row.origin,
        row.origin_id,
    )
