"""Turns a filter into an SQL condition on `candidates`. User input is always a bound parameter."""

import operator
from collections.abc import Callable
from typing import Any, assert_never

import sqlalchemy as sa
from sqlalchemy import ColumnElement

from app.core.database import tables
from app.core.database.tables import (
    assignments,
    candidates,
    evidence,
    inspections,
    judgements,
    raw_sql,
    reviewers,
)
from app.core.queue import filters
from app.core.queue.column_values import (
    ColumnValue,
    Condition,
    QueryContext,
    column_values,
    listed_columns,
)
from app.core.queue.filters import Filter
from app.core.session.records import Verdict
from app.core.session.verdict_log import judged_bit

# Inspections that stopped for these reasons are repeated.
UNFINISHED = ("cancelled", "error")

COMPARISONS: dict[str, Callable[[Any, Any], Condition]] = {
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


def condition(tree: Filter, context: QueryContext) -> Condition:
    """SQL that is true for the filter's candidates, and false or NULL for the others."""
    match tree:
        case filters.Everything():
            return sa.true()
        case filters.And():
            return sa.and_(*(condition(term, context) for term in tree.terms))
        case filters.Or():
            return sa.or_(*(condition(term, context) for term in tree.terms))
        case filters.Not():
            # An unknown value counts as false: NOT NULL would be NULL again.
            return sa.not_(sa.func.coalesce(condition(tree.term, context), sa.false()))
        case filters.MyVerdict(None):
            number = context.reviewer_id
            return sa.true() if number is None else raw_sql(unjudged_sql(number))
        case filters.MyVerdict():
            return _judged(context.is_mine, judgements.c.verdict == tree.verdict)
        case filters.AnyVerdict(None):
            return candidates.c.judged_by == 0
        case filters.AnyVerdict():
            return _judged(judgements.c.verdict == tree.verdict)
        case filters.AgentVerdict("yes" | "no"):
            return candidates.c.agent_verdict == tree.answer.upper()
        case filters.AgentVerdict():
            is_seen = candidates.c.agent_stopped_by != ""
            is_it = is_seen if tree.answer == "undecided" else ~is_seen
            return candidates.c.agent_verdict.is_(None) & is_it
        case filters.Number():
            return COMPARISONS[tree.compare](_number(tree.field, context), tree.value)
        case filters.Words():
            return _words(tree)
        case filters.OwnColumnFilter():
            return _own_column(tree, context)
        case filters.EvidenceState():
            return _evidence_state(tree)
        case filters.Flag():
            return _flag(tree.name, context)
        case filters.Anywhere():
            _, listed, _ = listed_columns(is_file=context.is_file)
            return sa.or_(
                _contains(candidates.c.object_id, tree.text),
                _judged(raw_sql(tables.COMMENTED), _contains(judgements.c.comment, tree.text)),
                _exists(_contains(listed, tree.text)),
            )
        case filters.Disagree("agents"):
            return raw_sql(tables.DIFFERING)
        case filters.Disagree("members"):
            return raw_sql(tables.OPPOSED)
        case filters.Disagree("people"):
            here = judgements.c.candidate_id == candidates.c.id
            number_of = sa.func.count(judgements.c.verdict.distinct())
            verdicts = sa.select(number_of).where(here).correlate(candidates).scalar_subquery()
            return raw_sql(tables.JUDGED_BY_SEVERAL) & (verdicts > 1)
        case filters.Disagree():
            return against_agent(_mine(judgements.c.verdict, context))
        case filters.Has("fault"):
            return raw_sql(tables.FAULTY)
        case filters.Has("path"):
            return candidates.c.path != ""
        case filters.Has("comment"):
            return _judged(raw_sql(tables.COMMENTED))
        case filters.Has():
            return _judged(context.is_mine, raw_sql(tables.FLAGGED))
        case filters.InList():
            return candidates.c.list_id == tree.number
        case filters.InspectedBy():
            return _inspected_by(tree)
        case filters.AssignedTo():
            return _assigned_to(tree.person, context)
        case _:
            assert_never(tree)


def unjudged_sql(reviewer_id: int) -> str:
    """SQL of the unjudged; the same text as in the index condition, or it would not be used."""
    return f"(judged_by & {judged_bit(reviewer_id)}) = 0"


def _mine(column: ColumnElement[Any], context: QueryContext) -> ColumnElement[Any]:
    """A column of the reviewer's own judgement; NULL where there is none."""
    whose = (judgements.c.candidate_id == candidates.c.id) & context.is_mine
    return sa.select(column).where(whose).correlate(candidates).scalar_subquery()


def _judged(*conditions: Condition) -> Condition:
    """Somebody has a judgement that meets the conditions."""
    return _exists(judgements.c.candidate_id == candidates.c.id, *conditions)


def _number(field: str, context: QueryContext) -> ColumnElement[Any]:
    if field == "confidence":
        return _mine(judgements.c.confidence, context)
    return candidates.c["agent_p_yes" if field == "p_yes" else field]


def _words(tree: filters.Words) -> Condition:
    if tree.field == "comment":
        return _judged(raw_sql(tables.COMMENTED), _matches(judgements.c.comment, tree))
    return _matches(candidates.c["object_id" if tree.field == "object" else tree.field], tree)


def _matches(column: ColumnElement[Any], tree: filters.Words) -> Condition:
    return column == tree.text if tree.compare == "=" else _contains(column, tree.text)


def _contains(column: ColumnElement[Any], part: str) -> Condition:
    return column.icontains(part, autoescape=True)


def _own_column(tree: filters.OwnColumnFilter, context: QueryContext) -> Condition:
    return sa.or_(
        *(
            _exists(value.candidate_id == candidates.c.id, value.is_there, _compares(tree, value))
            for value in column_values(tree.column, context)
        )
    )


def _compares(tree: filters.OwnColumnFilter, value: ColumnValue) -> Condition:
    if tree.compare == "contains":
        return _contains(value.text, tree.text)
    if tree.compare == "=" and value.levels is not None:
        # A sub-class of any level, as DAH is a DA.
        return value.levels.contains(f"/{tree.text.lower()}/", autoescape=True)
    number = tree.number
    compares = sa.false() if number is None else COMPARISONS[tree.compare](value.number, number)
    if tree.compare == "=":
        return sa.or_(compares, sa.func.lower(value.text) == sa.func.lower(tree.text))
    return compares


def _evidence_state(tree: filters.EvidenceState) -> Condition:
    of_service = (
        (evidence.c.candidate_id == candidates.c.id)
        & (evidence.c.service == tree.service)
        & evidence.c.is_newest
    )
    if tree.word == "unasked":
        return sa.not_(_exists(of_service))
    return _exists(of_service, evidence.c.state == tree.word)


def _flag(name: str, context: QueryContext) -> Condition:
    flags = _mine(judgements.c.flags, context)
    if context.is_file:
        found = sa.func.json_each(flags).table_valued("value")
    else:
        found = sa.func.json_array_elements_text(sa.cast(flags, sa.JSON)).table_valued("value")
    return _exists(found.c.value == name)


def against_agent(verdict: ColumnElement[Any]) -> Condition:
    """Whether a person's verdict is the opposite of what the agent says that is shown."""
    says = candidates.c.agent_verdict
    return sa.or_(
        (verdict == Verdict.ACCEPT) & (says == "NO"), (verdict == Verdict.REJECT) & (says == "YES")
    )


def _inspected_by(tree: filters.InspectedBy) -> Condition:
    found = [
        inspections.c.candidate_id == candidates.c.id,
        inspections.c.model == tree.model,
        inspections.c.stopped_by.not_in(UNFINISHED),
    ]
    if tree.sha256 is not None:
        found.append(inspections.c.model_sha256 == tree.sha256)
    return _exists(*found)


def _assigned_to(person: str, context: QueryContext) -> Condition:
    here = (assignments.c.candidate_id == candidates.c.id) & assignments.c.withdrawn.is_(False)
    if person == filters.NOBODY:
        return sa.not_(_exists(here))
    return _exists(here, assignments.c.reviewer_id == assigned_reviewer(person, context))


def assigned_reviewer(person: str, context: QueryContext) -> Any:
    """The id of a person who may have assignments, or a query for it."""
    if person == filters.ME:
        return context.reviewer_or_0
    return sa.select(reviewers.c.id).where(reviewers.c.name == person).scalar_subquery()


def _exists(*conditions: Condition) -> Condition:
    """EXISTS a row of the named tables that meets the conditions for the candidate."""
    return sa.exists().where(*conditions).correlate(candidates)
