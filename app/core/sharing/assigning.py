"""Stores assignments."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from app.core.database.database import insert_or_update
from app.core.database.tables import assignments
from app.core.session import verdict_log
from app.core.session.assignments import Reason
from app.core.session.session import MAX_IDS


def assign(connection: Connection, given: Sequence[tuple[int, int, Reason]]) -> None:
    """Store assignments: candidate, reviewer and reason; one taken back before stands again."""
    at = verdict_log.now()
    made = insert_or_update(connection, assignments)
    made = made.on_conflict_do_update(
        index_elements=["candidate_id", "reviewer_id"],
        set_={name: made.excluded[name] for name in ("reason", "at", "withdrawn")},
    )
    rows = [
        {"candidate_id": one, "reviewer_id": who, "reason": why, "at": at, "withdrawn": False}
        for one, who, why in given
    ]
    for start in range(0, len(rows), MAX_IDS):
        connection.execute(made, rows[start : start + MAX_IDS])
