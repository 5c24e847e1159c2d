"""Finds the candidates of a rare filter by an index of its own.

They are then sorted, which is faster than searching for them along the whole order.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from sqlalchemy import CTE, ColumnElement, Connection, Select, func, select, union_all

from app.core.database import tables
from app.core.database.tables import assignments, candidates, judgements, raw_sql, reviewers
from app.core.queue import filters
from app.core.queue.filters import Filter
from app.core.queue.own_opinion import index_condition, is_of_opinion
from app.core.queue.sql_conditions import COMPARISONS, QueryContext, assigned_reviewer
from app.core.session.records import Verdict

IndexQuery = Select[tuple[int]]
IndexUnion = tuple[IndexQuery, ...]
"""Queries of one index range each; together they return all candidates of a filter, and more."""


def gather_few(connection: Connection, ways: list[IndexUnion], at_most: int) -> CTE | None:
    """The candidate ids (`few_id`) by the first way that returns at most `at_most`, or None."""
    for queries in ways:
        every = union_all(*queries) if len(queries) > 1 else queries[0]
        some = every.limit(at_most + 1).subquery("some")
        if connection.execute(select(func.count()).select_from(some)).scalar_one() <= at_most:
            return select(some.c.few_id).distinct().cte("few").prefix_with("MATERIALIZED")
    return None


def index_unions(tree: Filter, context: QueryContext, indexes: frozenset[str]) -> list[IndexUnion]:
    """The ways to find all candidates of a filter by index; they may return others too."""
    if isinstance(tree, filters.And):
        return [way for term in tree.terms for way in index_unions(term, context, indexes)]
    if isinstance(tree, filters.Or):
        ways = [index_unions(term, context, indexes) for term in tree.terms]
        return [tuple(chain.from_iterable(way[0] for way in ways))] if all(ways) else []
    found = _index_union(tree, context, indexes)
    return [found] if found else []


def _index_union(tree: Filter, context: QueryContext, indexes: frozenset[str]) -> IndexUnion:
    match tree:
        case filters.MyVerdict() if tree.verdict is not None:
            return _mine(context, judgements.c.verdict == tree.verdict)
        case filters.Not(filters.MyVerdict(None)):
            return _mine(context, judgements.c.verdict.in_(tuple(Verdict)))
        case filters.AnyVerdict() if tree.verdict is not None:
            by_all = judgements.c.reviewer_id.in_(select(reviewers.c.id))
            return (_judgements_where(by_all, judgements.c.verdict == tree.verdict),)
        case filters.AgentVerdict("yes" | "no"):
            return (_candidates_where(candidates.c.agent_verdict == tree.answer.upper()),)
        case filters.Flag() | filters.Has("flag"):
            return _mine(context, raw_sql(tables.FLAGGED))
        case filters.Has("comment") | filters.Words("comment"):
            return (_judgements_where(raw_sql(tables.COMMENTED)),)
        case filters.Has("fault") | filters.Words("fault"):
            return (_candidates_where(raw_sql(tables.FAULTY)),)
        case filters.Words("object", "="):
            return (_candidates_where(candidates.c.object_id == tree.text),)
        case filters.Number():
            return _range(tree, indexes)
        case filters.OwnColumnFilter() if is_of_opinion(tree.column):
            return _mine(context, raw_sql(index_condition(tree.column)))
        case filters.AssignedTo() if tree.person != filters.NOBODY:
            is_theirs = assignments.c.reviewer_id == assigned_reviewer(tree.person, context)
            return (select(assignments.c.candidate_id.label("few_id")).where(is_theirs),)
        case filters.Disagree():
            return _disagreeing(tree.between, context)
    return ()


def _range(tree: filters.Number, indexes: frozenset[str]) -> IndexUnion:
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
        return (_candidates_where(raw_sql(tables.DIFFERING)),)
    if between == "members":
        return (_candidates_where(raw_sql(tables.OPPOSED)),)
    if between == "people":
        return (_candidates_where(raw_sql(tables.JUDGED_BY_SEVERAL)),)
    # In every disagreement either the reviewer accepts or the agent says YES.
    accepted = _mine(context, judgements.c.verdict == Verdict.ACCEPT)
    return (*accepted, _candidates_where(candidates.c.agent_verdict == "YES"))


def _mine(context: QueryContext, condition: ColumnElement[bool]) -> IndexUnion:
    return (_judgements_where(context.is_mine, condition),)


def _judgements_where(*conditions: ColumnElement[bool]) -> IndexQuery:
    return select(judgements.c.candidate_id.label("few_id")).where(*conditions)


def _candidates_where(condition: ColumnElement[bool]) -> IndexQuery:
    return select(candidates.c.id.label("few_id")).where(condition)
