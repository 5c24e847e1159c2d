"""Opinions on several candidates given in one act, which one undo takes back.

The log has its usual line for each candidate. A fact of the session at the first and at the last
of these lines tells that they belong together, and where they were given; it is written in the same
transaction, so after a crash there is either all of the act or nothing. On a server, lines of
others may lie between them: those of the act are the reviewer's own. A merge brings the fact along
for the statistics; a merged line is undone only in the session where it was written.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from sqlalchemy import Connection, select

from app.core.database.database import read_fact, write_facts
from app.core.database.tables import facts, log
from app.core.errors import SessionError
from app.core.session import verdict_log
from app.core.session.records import LogEntry, Opinion

MAX_CANDIDATES = 5000  # In one act; more would hold the session for a minute.
ACT = re.compile(r"([0-9]{1,18}) ([0-9]{1,18}) (\w{1,40})", re.ASCII)
AT_ONCE = 500

Acts = Mapping[int, Sequence[tuple[int, int]]]
"""By reviewer: the first and last log line of each act, in the order of the log."""

ChangeOpinion = Callable[[Opinion], Opinion]
Step = Literal["undo", "redo"]


def refuse_too_many(candidate_ids: Sequence[int]) -> None:
    if len(candidate_ids) > MAX_CANDIDATES:
        raise SessionError(f"at most {MAX_CANDIDATES:,} candidates can be judged together")


def write_act(connection: Connection, first: int, last: int, place: str) -> None:
    """Note that the reviewer's lines from the first to the last are one act."""
    act = f"{first} {last} {place}"
    write_facts(connection, {_key(first): act, _key(last): act})


def undo_or_redo(connection: Connection, reviewer: int, kind: Step) -> list[LogEntry]:
    """Undo the reviewer's last act, or redo it; empty if there is nothing to be done."""
    line = _next_line(connection, reviewer, kind)
    act = None if line is None else _act_at(connection, line)
    entries: list[LogEntry] = []
    step = {"undo": verdict_log.undo, "redo": verdict_log.redo}[kind]
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


def size_of_next(connection: Connection, reviewer: int, kind: Step) -> int:
    """At most how many candidates the next undo or redo will change; on a server maybe fewer."""
    line = _next_line(connection, reviewer, kind)
    act = None if line is None else _act_at(connection, line)
    if act is None:
        return 0 if line is None else 1
    return act[1] - act[0] + 1


def acts(connection: Connection) -> Acts:
    found = sorted({(first, last) for first, last, _ in act_notes(connection)})
    reviewer_of: dict[int, int] = {}
    for start in range(0, len(found), AT_ONCE):
        firsts = [first for first, _ in found[start : start + AT_ONCE]]
        rows = connection.execute(select(log.c.id, log.c.reviewer_id).where(log.c.id.in_(firsts)))
        reviewer_of |= {row.id: row.reviewer_id for row in rows}
    by_reviewer: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for first, last in found:
        if first in reviewer_of:
            by_reviewer[reviewer_of[first]].append((first, last))
    return by_reviewer


def act_notes(connection: Connection) -> list[tuple[int, int, str]]:
    """The first and last line of each act, and where it was done; what is no note is left out."""
    values = select(facts.c.value).where(facts.c.key >= "act:", facts.c.key < "act;").distinct()
    found = (ACT.fullmatch(str(value)) for value in connection.execute(values).scalars())
    return [(int(match[1]), int(match[2]), match[3]) for match in found if match]


def _next_line(connection: Connection, reviewer: int, kind: str) -> int | None:
    """The `set` line that the next undo or redo is about."""
    undo_top, redo_top = verdict_log.stack_tops(connection, reviewer)
    if kind == "undo" or redo_top is None:
        return undo_top if kind == "undo" else None
    return connection.execute(select(log.c.target_id).where(log.c.id == redo_top)).scalar()


def _act_at(connection: Connection, line: int) -> tuple[int, int] | None:
    """The first and last line of the act that begins or ends at a line."""
    match = ACT.fullmatch(str(read_fact(connection, _key(line))))
    return (int(match[1]), int(match[2])) if match else None


def _key(line: int) -> str:
    return f"act:{line}"
