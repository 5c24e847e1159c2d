"""Opinions on several candidates given in one act, which one undo takes back.

The log has its usual line for each candidate. A fact of the session at the first and at the last
of these lines tells that they belong together, and where they were given; it is written in the same
transaction, so after a crash there is either all of the act or nothing. Facts are not merged: a
merged line is undone in the session where it was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from sqlalchemy import Connection, select

from app.core.database.database import write_facts
from app.core.database.tables import facts, log
from app.core.errors import SessionError
from app.core.session import verdict_log
from app.core.session.records import NOTHING, LogEntry, Opinion
from app.core.session.stored_opinions import checked

MAX_CANDIDATES = 5000
"""In one act; more would hold the session for a minute."""
ACT = re.compile(r"([0-9]{1,18}) ([0-9]{1,18}) (\w{1,40})", re.ASCII)

ChangeOpinion = Callable[[Opinion], Opinion]
Step = Callable[[Connection, int], LogEntry | None]


def record_together(
    connection: Connection,
    reviewer: int,
    candidate_ids: Sequence[int],
    change: ChangeOpinion,
    shown: Mapping[int, Mapping[str, Any]],
    place: str,
) -> list[LogEntry]:
    """Record a changed opinion on each candidate; those whose opinion stays have no line."""
    if len(candidate_ids) > MAX_CANDIDATES:
        raise SessionError(f"at most {MAX_CANDIDATES:,} candidates can be judged together")
    entries = []
    for number in candidate_ids:
        opinion = checked(change(verdict_log.current_opinion(connection, number, reviewer)))
        seen = shown.get(number, NOTHING)
        entry = verdict_log.record(connection, number, reviewer, opinion, None, seen)
        if entry is not None:
            entries.append(entry)
    if len(entries) > 1:
        first, last = entries[0].id, entries[-1].id
        act = f"{first} {last} {place}"
        write_facts(connection, {_key(first): act, _key(last): act})
    return entries


def undo(connection: Connection, reviewer: int) -> list[LogEntry]:
    """Undo the reviewer's last act; empty if there is nothing to undo."""
    return _repeat(connection, reviewer, "undo", verdict_log.undo)


def redo(connection: Connection, reviewer: int) -> list[LogEntry]:
    return _repeat(connection, reviewer, "redo", verdict_log.redo)


def size_of_next(connection: Connection, reviewer: int, kind: Literal["undo", "redo"]) -> int:
    """At most how many candidates the next undo or redo will change."""
    line = _next_line(connection, reviewer, kind)
    act = None if line is None else _act_at(connection, line)
    if act is None:
        return 0 if line is None else 1
    return act[1] - act[0] + 1


def acts(connection: Connection) -> list[tuple[int, int]]:
    """The first and last log line of each act on several candidates, in the order of the log."""
    values = select(facts.c.value).where(facts.c.key >= "act:", facts.c.key < "act;").distinct()
    found = (ACT.fullmatch(str(value)) for value in connection.execute(values).scalars())
    return sorted((int(match[1]), int(match[2])) for match in found if match)


def _repeat(
    connection: Connection, reviewer: int, kind: Literal["undo", "redo"], step: Step
) -> list[LogEntry]:
    line = _next_line(connection, reviewer, kind)
    act = None if line is None else _act_at(connection, line)
    entries: list[LogEntry] = []
    while line is not None and len(entries) < MAX_CANDIDATES:
        entry = step(connection, reviewer)
        if entry is None:
            break
        entries.append(entry)
        following = _next_line(connection, reviewer, kind)
        if act is None or following is None or not act[0] <= following <= act[1]:
            break
        if (following < line) != (kind == "undo"):  # a damaged log
            break
        line = following
    return entries


def _next_line(connection: Connection, reviewer: int, kind: str) -> int | None:
    """The `set` line that the next undo or redo is about."""
    undo_top, redo_top = verdict_log.stack_tops(connection, reviewer)
    if kind == "undo" or redo_top is None:
        return undo_top if kind == "undo" else None
    query = select(log.c.target_id).where(log.c.id == redo_top)
    return connection.execute(query).scalar()


def _act_at(connection: Connection, line: int) -> tuple[int, int] | None:
    """The first and last line of the act that begins or ends at a line."""
    found = connection.execute(select(facts.c.value).where(facts.c.key == _key(line))).scalar()
    match = ACT.fullmatch(str(found))
    return (int(match[1]), int(match[2])) if match else None


def _key(line: int) -> str:
    return f"act:{line}"
