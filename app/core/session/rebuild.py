"""The judgements made anew from the log: what the tables keep ready, to be checked or mended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from app.core.database.tables import candidates, judgements, log
from app.core.session.standing import Line, standing
from app.core.session.verdict_log import judged_bit

COPIED_COLUMNS = ("verdict", "confidence", "flags", "comment", "at")

JudgementKey = tuple[int, int]
"""A candidate and a reviewer."""


def rebuild_judgements(connection: Connection, ids: Sequence[int]) -> None:
    """Of these candidates, at most MAX_IDS."""
    held = {pair: standing(lines) for pair, lines in read_log_lines(connection, ids).items()}
    connection.execute(delete(judgements).where(judgements.c.candidate_id.in_(ids)))
    rows = [_judgement(pair, line) for pair, line in held.items() if line is not None]
    if rows:
        connection.execute(insert(judgements), rows)
    masks = dict.fromkeys(ids, 0)
    for (number, reviewer), line in held.items():
        if line is not None and line.verdict is not None:
            masks[number] |= judged_bit(reviewer)
    here = candidates.c.id == bindparam("number")
    connection.execute(
        update(candidates).where(here).values(judged_by=bindparam("mask")),
        [{"number": number, "mask": mask} for number, mask in masks.items()],
    )


def read_log_lines(connection: Connection, ids: Sequence[int]) -> dict[JudgementKey, list[Line]]:
    """All that is in the log of these candidates, in its order."""
    query = select(log).where(log.c.candidate_id.in_(ids)).order_by(log.c.id)
    found: dict[JudgementKey, list[Line]] = defaultdict(list)
    for line in connection.execute(query):
        found[line.candidate_id, line.reviewer_id].append(line)
    return found


def _judgement(pair: JudgementKey, line: Line) -> dict[str, Any]:
    same = {name: getattr(line, name) for name in COPIED_COLUMNS}
    return {"candidate_id": pair[0], "reviewer_id": pair[1], "log_id": line.id, **same}
