"""Merges who was assigned what, and which candidates are hidden with a known answer."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, insert, select, tuple_

from app.core.database.database import insert_or_update
from app.core.database.tables import assignments, known_answers
from app.core.session.assignments import REASONS
from app.core.session.known_answers import known_answer_from
from app.core.session.session import MAX_IDS
from app.core.session.stored_opinions import damaged, have_type
from app.core.sharing.log_merge import ReviewerMap, is_timestamp
from app.core.sharing.matching import IdMap
from app.core.sharing.share_plan import read_plan, write_plan

Values = dict[str, Any]
KEY = ("candidate_id", "reviewer_id")


def merge_assignments(
    target: Connection, source: Connection, ids: IdMap, reviewers: ReviewerMap
) -> int:
    """Merge the assignments and return the number of new or changed ones; the later one stands."""
    if read_plan(target) is None and (plan := read_plan(source)) is not None:
        write_plan(target, plan)
    key, added, after = tuple_(*(assignments.c[name] for name in KEY)), 0, (0, 0)
    query = select(assignments).order_by(*(assignments.c[name] for name in KEY)).limit(MAX_IDS)
    while rows := source.execute(query.where(key > after)).all():
        given = [_assignment(row, ids, reviewers) for row in rows]
        here = assignments.c.candidate_id.in_([each["candidate_id"] for each in given])
        known = {
            _key(row): row for row in target.execute(select(assignments).where(here)).mappings()
        }
        new = [
            each
            for each in given
            if _key(each) not in known or _order(each) > _order(known[_key(each)])
        ]
        if new:
            made = insert_or_update(target, assignments)
            changed = {name: made.excluded[name] for name in ("reason", "at", "withdrawn")}
            made = made.on_conflict_do_update(index_elements=list(KEY), set_=changed)
            target.execute(made, new)
        added += len(new)
        after = (rows[-1].candidate_id, rows[-1].reviewer_id)
    return added


def merge_known(target: Connection, source: Connection, ids: IdMap, highest: int) -> int:
    """Merge the known answers of candidates that this merge has added, above id `highest`.

    Only of those: another session must not take candidates out of our catalogues.
    """
    found = []
    for row in source.execute(select(known_answers).order_by(known_answers.c.candidate_id)):
        known_answer_from(row)  # raises SessionError if it is invalid
        number = ids[row.candidate_id]
        if number > highest:
            found.append({**row._mapping, "candidate_id": number})
    if found:
        target.execute(insert(known_answers), found)
    return len(found)


def _assignment(row: Row[Any], ids: IdMap, reviewers: ReviewerMap) -> Values:
    is_sound = have_type(str, row.reason, row.at) and have_type(bool, row.withdrawn)
    if not is_sound or row.reason not in REASONS or not is_timestamp(row.at):
        raise damaged("an assignment of the other session")
    return {
        **row._mapping,
        "candidate_id": ids[row.candidate_id],
        "reviewer_id": reviewers[row.reviewer_id],
    }


def _key(values: Any) -> tuple[int, int]:
    return values["candidate_id"], values["reviewer_id"]


def _order(values: Any) -> tuple[str, bool, str]:
    return values["at"], values["withdrawn"], values["reason"]
