"""Filters of which few candidates can be: those are gathered by an index and then put in order,
instead of looking for them through the whole order."""

from __future__ import annotations

from itertools import chain
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    Connection,
    Select,
    func,
    select,
    union_all,
)

from app.core.database.tables import (
    COMMENTED,
    DIFFERING,
    FAULTY,
    FLAGGED,
    JUDGED_BY_SEVERAL,
    candidates,
    judgements,
    reviewers,
)
from app.core.queue.filters import (
    AgentVerdict,
    And,
    AnyVerdict,
    Disagree,
    Filter,
    Flag,
    Has,
    MyVerdict,
    Not,
    Number,
    Or,
    Words,
)
from app.core.queue.sql_conditions import COMPARING, QueryContext, raw_sql
from app.core.session.records import Verdict

IndexQuery = Select[tuple[int]]
IndexUnion = tuple[IndexQuery, ...]
"""Each a range of one index; together they hold every candidate of the filter, and more."""


def gather_few(connection: Connection, ways: list[IndexUnion], at_most: int) -> CTE | None:
    """The numbers (`few_id`) of no more candidates than that, by the first of the ways that leads
    to so few; None where none does."""
    for union in ways:
        some = _some(union, at_most + 1)
        if connection.execute(select(func.count()).select_from(some)).scalar_one() <= at_most:
            return select(some.c.few_id).distinct().cte("few").prefix_with("MATERIALIZED")
    return None


def index_unions(tree: Filter, asking: QueryContext, indexes: frozenset[str]) -> list[IndexUnion]:
    """The ways to gather a filter's candidates, all of them and others."""
    if isinstance(tree, And):
        return list(chain.from_iterable(index_unions(term, asking, indexes) for term in tree.terms))
    if isinstance(tree, Or):
        ways = [index_unions(term, asking, indexes) for term in tree.terms]
        return [tuple(chain.from_iterable(way[0] for way in ways))] if all(ways) else []
    found = _leaf(tree, asking, indexes)
    return [found] if found else []


def _leaf(tree: Filter, asking: QueryContext, indexes: frozenset[str]) -> IndexUnion:
    match tree:
        case MyVerdict() if tree.verdict is not None:
            return _mine(asking, judgements.c.verdict == tree.verdict)
        case Not(MyVerdict(None)):
            return _mine(asking, judgements.c.verdict.in_(tuple(Verdict)))
        case AnyVerdict() if tree.verdict is not None:
            by_all = judgements.c.reviewer_id.in_(select(reviewers.c.id))
            return (_judged(by_all, judgements.c.verdict == tree.verdict),)
        case AgentVerdict("yes" | "no"):
            return (_those(candidates.c.agent_verdict == tree.answer.upper()),)
        case Flag() | Has("flag"):
            return _mine(asking, raw_sql(FLAGGED))
        case Has("comment") | Words("comment"):
            return (_judged(raw_sql(COMMENTED)),)
        case Has("fault") | Words("fault"):
            return (_those(raw_sql(FAULTY)),)
        case Words("object", "="):
            return (_those(candidates.c.object_id == tree.text),)
        case Number():
            return _range(tree, indexes)
        case Disagree():
            return _disagreeing(tree.between, asking)
    return ()


def _range(tree: Number, indexes: frozenset[str]) -> IndexUnion:
    if tree.field == "p_yes":
        column: ColumnElement[Any] = candidates.c.agent_p_yes
    elif tree.field == "id":
        column = candidates.c.id
    elif f"queue_column_{tree.field}" in indexes:
        column = candidates.c[tree.field]
    else:
        return ()
    return (_those(COMPARING[tree.compare](column, tree.value)),)


def _disagreeing(between: str, asking: QueryContext) -> IndexUnion:
    if between == "agents":
        return (_those(raw_sql(DIFFERING)),)
    if between == "people":
        return (_those(raw_sql(JUDGED_BY_SEVERAL)),)
    # Either they accept something, or the agent says YES.
    accepted = _mine(asking, judgements.c.verdict == Verdict.ACCEPT)
    return (*accepted, _those(candidates.c.agent_verdict == "YES"))


def _mine(asking: QueryContext, condition: ColumnElement[bool]) -> IndexUnion:
    return (_judged(judgements.c.reviewer_id == asking.number, condition),)


def _judged(*conditions: ColumnElement[bool]) -> IndexQuery:
    return select(judgements.c.candidate_id.label("few_id")).where(*conditions)


def _those(condition: ColumnElement[bool]) -> IndexQuery:
    return select(candidates.c.id.label("few_id")).where(condition)


def _some(union: IndexUnion, limit: int) -> Any:
    """The first of them, as a table."""
    every = union_all(*union) if len(union) > 1 else union[0]
    return every.limit(limit).subquery("some")
