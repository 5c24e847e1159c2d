"""Merges the inspections and repeats of another session."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select

from agent.tasks.task import Task
from agent.trajectory.trajectory_file import MAX_LINE
from app.core.database.tables import inspections, repeats
from app.core.inspections.shown_opinion import update_agent_columns
from app.core.session.session import MAX_IDS
from app.core.session.stored_opinions import damaged, have_type, opinion_of
from app.core.sharing.log_merge import ReviewerMap
from app.core.sharing.matching import IdMap

AT_ONCE = 50  # candidates whose trajectories are in memory

Values = dict[str, Any]


def merge_inspections(
    target: Connection, source: Connection, ids: IdMap, task: Task
) -> Iterator[tuple[int, int]]:
    """Merge page by page; yields the number of inspections in a page and of new ones."""
    column, after = inspections.c.candidate_id, 0
    query = select(column).distinct().order_by(column).limit(AT_ONCE)
    while there := list(source.execute(query.where(column > after)).scalars()):
        found = source.execute(select(inspections).where(column.in_(there))).all()
        yield len(found), _merge_page(target, found, ids, task)
        after = there[-1]


def _merge_page(target: Connection, rows: Sequence[Row[Any]], ids: IdMap, task: Task) -> int:
    given: dict[int, list[Values]] = defaultdict(list)
    for row in rows:
        given[ids[row.candidate_id]].append(_checked(row, ids[row.candidate_id]))
    existing = _existing(target, list(given))
    new = {number: _newer_than(each, existing[number]) for number, each in given.items()}
    changed = [number for number, each in new.items() if each]
    for number in changed:
        _insert_in_time_order(target, new[number], existing[number])
    for number in changed:
        update_agent_columns(target, number, task)
    return sum(map(len, new.values()))


def _existing(target: Connection, ids: list[int]) -> dict[int, list[Values]]:
    """The existing inspections of the target, without trajectories."""
    columns = (
        inspections.c[name] for name in ("id", "candidate_id", "model", "model_sha256", "at")
    )
    query = select(*columns).where(inspections.c.candidate_id.in_(ids))
    found: dict[int, list[Values]] = defaultdict(list)
    for row in target.execute(query).mappings():
        found[row["candidate_id"]].append(dict(row))
    return found


def _newer_than(given: list[Values], existing: list[Values]) -> list[Values]:
    """The inspections that are newer than those of the same model."""
    times = {_model_key(each): each["at"] for each in existing}
    return [each for each in given if each["at"] > times.get(_model_key(each), "")]


def _insert_in_time_order(target: Connection, new: list[Values], existing: list[Values]) -> None:
    """Insert in order of time, because the inspection with the highest id counts as the newest."""
    earliest = min(each["at"] for each in new)
    replaced = {_model_key(each) for each in new}
    later = [
        each["id"] for each in existing if each["at"] > earliest or _model_key(each) in replaced
    ]
    query = select(inspections).where(inspections.c.id.in_(later))
    rows = target.execute(query).mappings()
    moved = [dict(row) for row in rows if _model_key(row) not in replaced]
    target.execute(delete(inspections).where(inspections.c.id.in_(later)))
    for each in moved:
        del each["id"]
    for each in sorted([*moved, *new], key=lambda each: str(each["at"])):
        target.execute(insert(inspections).values(each))


def _model_key(values: Any) -> tuple[str, str]:
    return values["model"], values["model_sha256"]


def _checked(row: Row[Any], number: int) -> Values:
    is_sound = (
        have_type(str, row.model, row.model_sha256, row.at, row.stopped_by, row.record)
        and row.verdict in (None, "YES", "NO")
        and (row.p_yes is None or (isinstance(row.p_yes, float | int) and 0 <= row.p_yes <= 1))
        and len(row.record) <= MAX_LINE
    )
    if not is_sound:
        raise damaged(f"inspection {row.id} of the other session")
    values = {key: value for key, value in row._mapping.items() if key != "id"}
    return values | {"candidate_id": number}


def merge_repeats(
    target: Connection,
    source: Connection,
    ids: IdMap,
    lines: IdMap,
    reviewers: ReviewerMap,
) -> int:
    """Merge the repeats and return the number of new ones; undo does not apply to them."""
    query, after, added = select(repeats).order_by(repeats.c.id).limit(MAX_IDS), 0, 0
    while rows := source.execute(query.where(repeats.c.id > after)).all():
        given = [_repeat(row, ids, lines, reviewers) for row in rows]
        known = _known_repeats(target, [each["candidate_id"] for each in given])
        new = [each for each in given if _repeat_key(each) not in known]
        if new:
            target.execute(insert(repeats), new)
        added += len(new)
        after = rows[-1].id
    return added


def _repeat(row: Row[Any], ids: IdMap, lines: IdMap, reviewers: ReviewerMap) -> Values:
    opinion_of(row)  # raises SessionError if invalid
    is_sound = have_type(str, row.at) and isinstance(row.seconds, float | int | None)
    if not is_sound or not have_type(bool, row.withdrawn):
        raise damaged(f"repeat {row.id} of the other session")
    values = {key: value for key, value in row._mapping.items() if key != "id"}
    return values | {
        "candidate_id": ids[row.candidate_id],
        "reviewer_id": reviewers[row.reviewer_id],
        "first_id": lines[row.first_id],
        "after_id": 0,
    }


def _known_repeats(target: Connection, ids: list[int]) -> set[tuple[Any, ...]]:
    query = select(repeats).where(repeats.c.candidate_id.in_(ids))
    return {_repeat_key(row) for row in target.execute(query).mappings()}


def _repeat_key(values: Any) -> tuple[Any, ...]:
    return values["candidate_id"], values["reviewer_id"], values["at"]
