"""Merges the inspections and repeats of another session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from agent.tasks.task import Task
from agent.trajectory.trajectory_file import MAX_LINE
from app.core.database.paging import pages
from app.core.database.tables import inspections, repeats
from app.core.inspections.shown_opinion import lock_opinions, update_agent_columns
from app.core.session.session import MAX_IDS
from app.core.session.stored_opinions import damaged, have_type, opinion_of
from app.core.sharing.log_merge import ReviewerMap, is_timestamp
from app.core.sharing.matching import IdMap

AT_ONCE = 50  # candidates whose trajectories are in memory

Values = dict[str, Any]


def merge_inspections(
    target: Connection, source: Connection, ids: IdMap, task: Task
) -> Iterator[tuple[int, int]]:
    """Merge page by page; yields the number of inspections in a page and of new ones."""
    column = inspections.c.candidate_id
    for rows in pages(source, select(column).distinct(), column, at_once=AT_ONCE):
        there = column.in_([row.candidate_id for row in rows])
        found = source.execute(select(inspections).where(there)).all()
        yield len(found), _merge_page(target, found, ids, task)


def _merge_page(target: Connection, rows: Sequence[Row[Any]], ids: IdMap, task: Task) -> int:
    given = [_checked(row, ids[row.candidate_id]) for row in rows]
    numbers = {each["candidate_id"] for each in given}
    lock_opinions(target, numbers)
    query = select(inspections).where(inspections.c.candidate_id.in_(numbers))
    existing = {_model_key(row): row for row in target.execute(query).mappings()}
    new = {
        key: each
        for each in given
        if (key := _model_key(each)) not in existing or _order(each) > _order(existing[key])
    }
    replaced = [existing[key]["id"] for key in new if key in existing]
    target.execute(delete(inspections).where(inspections.c.id.in_(replaced)))
    if new:
        target.execute(insert(inspections), list(new.values()))
    for number in sorted({each["candidate_id"] for each in new.values()}):
        update_agent_columns(target, number, task)
    return len(new)


def _order(values: Any) -> tuple[str, str, str]:
    """The later inspection by one model replaces the other; at the same time, one of them does."""
    rest = (values[name] for name in ("verdict", "p_yes", "stopped_by", "well_formed"))
    return values["at"], values["record"], repr(list(rest))


def _model_key(values: Any) -> tuple[int, str, str]:
    return values["candidate_id"], values["model"], values["model_sha256"]


def _checked(row: Row[Any], number: int) -> Values:
    is_sound = (
        have_type(str, row.model, row.model_sha256, row.at, row.stopped_by, row.record)
        and is_timestamp(row.at)
        and row.verdict in (None, "YES", "NO")
        and (row.p_yes is None or (isinstance(row.p_yes, float | int) and 0 <= row.p_yes <= 1))
        and len(row.record) <= MAX_LINE
    )
    if not is_sound:
        raise damaged(f"inspection {row.id} of the other session")
    values = {key: value for key, value in row._mapping.items() if key != "id"}
    return values | {"candidate_id": number}


def merge_repeats(
    target: Connection, source: Connection, ids: IdMap, lines: IdMap, reviewers: ReviewerMap
) -> int:
    """Merge the repeats and return the number of new ones; one withdrawn anywhere is withdrawn."""
    added = 0
    for rows in pages(source, select(repeats), repeats.c.id, at_once=MAX_IDS):
        given = [_repeat(row, ids, lines, reviewers) for row in rows]
        there = repeats.c.candidate_id.in_([each["candidate_id"] for each in given])
        found = target.execute(select(repeats).where(there)).mappings()
        known = {_repeat_key(row): row["id"] for row in found}
        new = [each for each in given if _repeat_key(each) not in known]
        if new:
            target.execute(insert(repeats), new)
        taken = [known.get(_repeat_key(each)) for each in given if each["withdrawn"]]
        withdrawn = update(repeats).where(repeats.c.id.in_([each for each in taken if each]))
        target.execute(withdrawn.values(withdrawn=True))
        added += len(new)
    return added


def _repeat(row: Row[Any], ids: IdMap, lines: IdMap, reviewers: ReviewerMap) -> Values:
    opinion_of(row)  # raises SessionError if invalid
    is_sound = have_type(str, row.at) and isinstance(row.seconds, float | int | None)
    is_sound = is_sound and is_timestamp(row.at)
    if not is_sound or not have_type(bool, row.withdrawn):
        raise damaged(f"repeat {row.id} of the other session")
    values = {key: value for key, value in row._mapping.items() if key != "id"}
    return values | {
        "candidate_id": ids[row.candidate_id],
        "reviewer_id": reviewers[row.reviewer_id],
        "first_id": lines[row.first_id],
        "after_id": 0,
    }


def _repeat_key(values: Any) -> str:
    """All that a repeat says, except whether it was withdrawn, and its place in the session."""
    local = ("id", "after_id", "withdrawn")
    return repr(sorted((name, value) for name, value in values.items() if name not in local))
