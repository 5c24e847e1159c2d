"""Recomputes judgements from the log after a merge.

Older programs chose otherwise between merged lines: their sessions are brought up to date once.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, literal_column, select, update

from app.core.database.database import Database, read_fact, write_facts
from app.core.database.tables import MERGED, candidates, judgements, log
from app.core.session.log_resolution import resolved_line
from app.core.session.stored_opinions import LogRow
from app.core.session.verdict_log import judged_bit, session_id

COPIED_COLUMNS = (
    *("verdict", "confidence", "flags", "comment", "subclass", "fields", "velocity", "at"),
)
AT_ONCE = 500  # candidates

RULE = "resolution_rule"
"""The fact that tells by which rule the judgements of merged lines were chosen."""
PRESENT_RULE = "2"

JudgementKey = tuple[int, int]  # candidate id and reviewer id


def rebuild_judgements(connection: Connection, ids: Sequence[int]) -> None:
    """Recompute the judgements of at most MAX_IDS candidates."""
    lines, own = read_log_lines(connection, ids), session_id(connection)
    standing = {key: resolved_line(each, own) for key, each in lines.items()}
    connection.execute(delete(judgements).where(judgements.c.candidate_id.in_(ids)))
    rows = [_judgement(key, line) for key, line in standing.items() if line is not None]
    if rows:
        connection.execute(insert(judgements), rows)
    masks = dict.fromkeys(ids, 0)
    for (number, reviewer), line in standing.items():
        if line is not None and line.verdict is not None:
            masks[number] |= judged_bit(reviewer)
    here = candidates.c.id == bindparam("number")
    connection.execute(
        update(candidates).where(here).values(judged_by=bindparam("mask")),
        [{"number": number, "mask": mask} for number, mask in masks.items()],
    )


def update_rule(database: Database) -> None:
    """Recompute what an older program chose between merged lines, once for each session."""
    with database.reading() as connection:
        merged = connection.execute(select(log.c.id).where(literal_column(MERGED)).limit(1)).first()
        if read_fact(connection, RULE) == PRESENT_RULE or merged is None:
            return
    # The rule decides where a reviewer has several lines on a candidate, some of them merged.
    each = select(log.c.candidate_id).group_by(log.c.candidate_id, log.c.reviewer_id)
    several = each.having(func.count() > 1, func.max(log.c.origin) != "").subquery()
    number = several.c.candidate_id
    with database.writing() as connection:
        ids = list(connection.execute(select(number).distinct().order_by(number)).scalars())
        for start in range(0, len(ids), AT_ONCE):
            rebuild_judgements(connection, ids[start : start + AT_ONCE])
        note_rule(connection)


def note_rule(connection: Connection) -> None:
    """Remember that all judgements of merged lines follow the present rule."""
    write_facts(connection, {RULE: PRESENT_RULE})


def read_log_lines(connection: Connection, ids: Sequence[int]) -> dict[JudgementKey, list[LogRow]]:
    """The log lines of these candidates by candidate and reviewer, in log order."""
    query = select(log).where(log.c.candidate_id.in_(ids)).order_by(log.c.id)
    found: dict[JudgementKey, list[LogRow]] = defaultdict(list)
    for line in connection.execute(query):
        found[line.candidate_id, line.reviewer_id].append(line)
    return found


def _judgement(key: JudgementKey, line: LogRow) -> dict[str, Any]:
    values = {name: getattr(line, name) for name in COPIED_COLUMNS}
    return {"candidate_id": key[0], "reviewer_id": key[1], "log_id": line.id, **values}
