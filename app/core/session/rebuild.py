"""Recomputes judgements from the log after a merge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from app.core.database.tables import candidates, judgements, log
from app.core.session.standing import standing_line
from app.core.session.stored_opinions import LogRow
from app.core.session.verdict_log import judged_bit

COPIED_COLUMNS = ("verdict", "confidence", "flags", "comment", "at")

JudgementKey = tuple[int, int]
"""Candidate id and reviewer id."""


def rebuild_judgements(connection: Connection, ids: Sequence[int]) -> None:
    """Recompute the judgements of at most MAX_IDS candidates."""
    lines = read_log_lines(connection, ids)
    standing = {key: standing_line(each) for key, each in lines.items()}
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
