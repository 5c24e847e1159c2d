"""Asks for second opinions where a rule has become true of somebody's verdict.

The rule is a filter, as the person who judged would see it. Who is asked is drawn from the seed
and the candidate alone, so all copies of a session ask the same person.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, exists, select

from app.core.database.tables import assignments, candidates, judgements
from app.core.queue.filters import Filter, FilterError
from app.core.queue.sql_conditions import QueryContext, condition
from app.core.session.assignments import STANDS, assign, is_assigned_to
from app.core.session.known_answers import not_known
from app.core.session.records import Change
from app.core.session.session import Session
from app.core.session.verdict_log import find_reviewer, judged_bit
from app.core.sharing.share_plan import candidate_words, drawn, parsed_rule, plan_of


def assign_second_opinions(session: Session) -> int:
    """Assign those that the rule asks for by now; returns how many are new."""
    plan = plan_of(session)
    if plan is None or not plan.second_when or session.is_read_only:
        return 0
    try:
        tree = parsed_rule(session, plan.second_when)
    except FilterError:  # a column that it names is not in this session
        return 0
    with session.database.writing() as connection:
        found = {name: find_reviewer(connection, name) for name in plan.people}
        numbers = {name: number for name, number in found.items() if number is not None}
        if len(numbers) < 2:
            return 0
        wanted = [
            (row.id, numbers[_second(plan.seed, numbers, name, row)])
            for name, number in numbers.items()
            for row in connection.execute(_asking(tree, number, session.database.is_file))
        ]
        assign(connection, [(number, who, "second") for number, who in wanted])
    if wanted:
        touched = frozenset(number for number, _ in wanted)
        session.changed.emit(Change(aspect="list", candidate_ids=touched))
    return len(wanted)


def _asking(tree: Filter, reviewer: int, is_file: bool) -> Any:
    """Candidates of which the rule is true for that person, and which only they have or judged."""
    here = assignments.c.candidate_id == candidates.c.id
    is_theirs = exists().where(here, is_assigned_to(reviewer))
    has_other = exists().where(here, STANDS, assignments.c.reviewer_id != reviewer)
    is_judged = exists().where(
        judgements.c.candidate_id == candidates.c.id,
        judgements.c.reviewer_id == reviewer,
        judgements.c.verdict.is_not(None),
    )
    by_nobody_else: ColumnElement[bool] = candidates.c.judged_by == judged_bit(reviewer)
    names = ("id", "object_id", "path", "row")
    return (
        select(*(candidates.c[name] for name in names))
        .where(
            is_theirs,
            is_judged,
            by_nobody_else,
            ~has_other,
            not_known(candidates.c.id),
            condition(tree, QueryContext(reviewer, is_file)),
        )
        .order_by(candidates.c.id)
    )


def _second(seed: int, people: Iterable[str], first: str, row: Any) -> str:
    """Who is asked: of the others, whoever draws the lowest number for this candidate."""
    others = [name for name in people if name != first]
    return min(others, key=lambda name: drawn(seed, "second", name, *candidate_words(row)))
