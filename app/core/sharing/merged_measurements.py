"""Merges what people measured by hand in another session."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from app.core.database.tables import measurements
from app.core.session.measurements import measurement_of
from app.core.session.session import MAX_IDS
from app.core.session.stored_opinions import damaged
from app.core.sharing.log_merge import ReviewerMap, is_timestamp
from app.core.sharing.matching import IdMap

Values = dict[str, Any]


def merge_measurements(
    target: Connection, source: Connection, ids: IdMap, reviewers: ReviewerMap
) -> int:
    """Add the new ones and return their number; one withdrawn anywhere is withdrawn."""
    query, after, added = select(measurements).order_by(measurements.c.id).limit(MAX_IDS), 0, 0
    while rows := source.execute(query.where(measurements.c.id > after)).all():
        checked = [_checked(row, ids, reviewers) for row in rows]
        given = {_key(each): each for each in checked}
        withdrawn = {_key(each) for each in checked if each["withdrawn"]}
        known = _known(target, [each["candidate_id"] for each in given.values()])
        new = [
            {**each, "withdrawn": key in withdrawn}
            for key, each in given.items()
            if key not in known
        ]
        if new:
            target.execute(insert(measurements), new)
        taken = [number for key in withdrawn & set(known) for number in known[key]]
        target.execute(
            update(measurements).where(measurements.c.id.in_(taken)).values(withdrawn=True)
        )
        added += len(new)
        after = rows[-1].id
    return added


def _checked(row: Row[Any], ids: IdMap, reviewers: ReviewerMap) -> Values:
    measurement_of(row)  # raises SessionError if invalid
    if not is_timestamp(row.at):
        raise damaged(f"measurement {row.id} of the other session")
    values = {key: value for key, value in row._mapping.items() if key != "id"}
    return values | {
        "candidate_id": ids[row.candidate_id],
        "reviewer_id": reviewers[row.reviewer_id],
    }


def _known(target: Connection, ids: list[int]) -> dict[str, list[int]]:
    query = select(measurements).where(measurements.c.candidate_id.in_(ids))
    found: dict[str, list[int]] = {}
    for row in target.execute(query).mappings():
        found.setdefault(_key(row), []).append(row["id"])
    return found


def _key(values: Any) -> str:
    """All that a measurement says, except whether it was withdrawn, and its place here."""
    local = ("id", "withdrawn")
    return repr(sorted((name, value) for name, value in values.items() if name not in local))
