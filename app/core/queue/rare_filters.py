"""Finds the candidates of a rare filter by an index of its own.

They are then sorted, which is faster than searching for them along the whole order.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from sqlalchemy import CTE, ColumnElement, Connection, Select, func, select, union_all

from app.core.database.tables import (
    COMMENTED,
    DIFFERING,
    FAULTY,
    FLAGGED,
    JUDGED_BY_SEVERAL,
    assignments,
    candidates,
    judgements,
    reviewers,
)
from app.core.queue.filters import (
    NOBODY,
    AgentVerdict,
    And,
    AnyVerdict,
    AssignedTo,
    Disagree,
    Filter,
    Flag,
    Has,
    MyVerdict,
    Not,
    Number,
    Or,
    OwnColumnFilter,
    Words,
)
from app.core.queue.own_opinion import index_condition, is_of_opinion
from app.core.queue.sql_conditions import COMPARISONS, QueryContext, assigned_reviewer, raw_sql
from app.core.session.records import Verdict

IndexQuery = Select[tuple[int]]
IndexUnion = tuple[IndexQuery, ...]
"""Queries of one index range each; together they return all candidates of a filter, and more."""


def gather_few(connection: Connection, ways: list[IndexUnion], at_most: int) -> CTE | None:
    """The candidate ids (`few_id`) by the first way that returns at most `at_most`, or None."""
    for queries in ways:
        some = _first_rows(queries, at_most + 1)
        if connection.execute(select(func.count()).select_from(some)).scalar_one() <= at_most:
            return select(some.c.few_id).distinct().cte("few").prefix_with("MATERIALIZED")
    return None


def index_unions(tree: Filter, context: QueryContext, indexes: frozenset[str]) -> list[IndexUnion]:
    """The ways to find all candidates of a filter by index; they may return others too."""
    if isinstance(tree, And):
        return list(
            chain.from_iterable(index_unions(term, context, indexes) for term in tree.terms)
        )
    if isinstance(tree, Or):
        ways = [index_unions(term, context, indexes) for term in tree.terms]
        return [tuple(chain.from_iterable(way[0] for way in ways))] if all(ways) else []
    found = _index_union(tree, context, indexes)
    return [found] if found else []


def _index_union(tree: Filter, context: QueryContext, indexes: frozenset[str]) -> IndexUnion:
    match tree:
        case MyVerdict() if tree.verdict is not None:
            return _mine(context, judgements.c.verdict == tree.verdict)
        case Not(MyVerdict(None)):
            return _mine(context, judgements.c.verdict.in_(tuple(Verdict)))
        case AnyVerdict() if tree.verdict is not None:
            by_all = judgements.c.reviewer_id.in_(select(reviewers.c.id))
            return (_judgements_where(by_all, judgements.c.verdict == tree.verdict),)
        case AgentVerdict("yes" | "no"):
            return (_candidates_where(candidates.c.agent_verdict == tree.answer.upper()),)
        case Flag() | Has("flag"):
            return _mine(context, raw_sql(FLAGGED))
        case Has("comment") | Words("comment"):
            return (_judgements_where(raw_sql(COMMENTED)),)
        case Has("fault") | Words("fault"):
            return (_candidates_where(raw_sql(FAULTY)),)
        case Words("object", "="):
            return (_candidates_where(candidates.c.object_id == tree.text),)
        case Number():
            return _range(tree, indexes)
        case OwnColumnFilter() if is_of_opinion(tree.column):
            return _mine(context, raw_sql(index_condition(tree.column)))
        case AssignedTo() if tree.person != NOBODY:
            return (_assigned_to(assigned_reviewer(tree.person, context)),)
        case Disagree():
            return _disagreeing(tree.between, context)
    return ()


def _assigned_to(reviewer: Any) -> IndexQuery:
    return select(assignments.c.candidate_id.label("few_id")).where(
        assignments.c.reviewer_id == reviewer
    )


def _range(tree: Number, indexes: frozenset[str]) -> IndexUnion:
    if tree.field == "p_yes":
        column: ColumnElement[Any] = candidates.c.agent_p_yes
    elif tree.field == "id":
        column = candidates.c.id
    elif f"queue_column_{tree.field}" in indexes:
        column = candidates.c[tree.field]
    else:
        return ()
    return (_candidates_where(COMPARISONS[tree.compare](column, tree.value)),)


def _disagreeing(between: str, context: QueryContext) -> IndexUnion:
    if between == "agents":
        return (_candidates_where(raw_sql(DIFFERING)),)
    if between == "people":
        return (_candidates_where(raw_sql(JUDGED_BY_SEVERAL)),)
    # In every disagreement either the reviewer accepts or the agent says YES.
    accepted = _mine(context, judgements.c.verdict == Verdict.ACCEPT)
    return (*accepted, _candidates_where(candidates.c.agent_verdict == "YES"))


def _mine(context: QueryContext, condition: ColumnElement[bool]) -> IndexUnion:
    return (_judgements_where(judgements.c.reviewer_id == context.reviewer_or_0, condition),)


def _judgements_where(*conditions: ColumnElement[bool]) -> IndexQuery:
    return select(judgements.c.candidate_id.label("few_id")).where(*conditions)


def _candidates_where(condition: ColumnElement[bool]) -> IndexQuery:
    return select(candidates.c.id.label("few_id")).where(condition)


def _first_rows(queries: IndexUnion, limit: int) -> Any:
    every = union_all(*queries) if len(queries) > 1 else queries[0]
    return every.limit(limit).subquery("some")
