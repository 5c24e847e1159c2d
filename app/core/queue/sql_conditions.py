"""A filter as a condition on a row of `candidates`. What a person typed is bound, never written."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, assert_never

from sqlalchemy import (
    JSON,
    ColumnElement,
    Double,
    String,
    and_,
    case,
    cast,
    exists,
    false,
    func,
    literal_column,
    not_,
    or_,
    select,
    true,
)

from app.core.database.tables import (
    COMMENTED,
    DIFFERING,
    FAULTY,
    FLAGGED,
    JUDGED_BY_SEVERAL,
    candidates,
    inspections,
    judgements,
)
from app.core.queue.filters import (
    AgentVerdict,
    And,
    AnyVerdict,
    Anywhere,
    Disagree,
    Everything,
    Filter,
    Flag,
    Has,
    InList,
    InspectedBy,
    MyVerdict,
    Not,
    Number,
    Or,
    OwnColumnFilter,
    Words,
)
from app.core.session.records import Verdict
from app.core.session.verdict_log import judged_bit

Condition = ColumnElement[bool]

UNFINISHED = ("cancelled", "error")
"""Inspections that ended so are done again."""

COMPARING: dict[str, Callable[[Any, Any], Condition]] = {
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class QueryContext:
    """Who asks, and which database: `me` is None while the reviewer has not written anything."""

    me: int | None
    is_file: bool
    """SQLite; else PostgreSQL."""

    @property
    def number(self) -> int:
        """The reviewer's; 0, which nobody has, while they have none."""
        return self.me or 0


def condition(tree: Filter, asking: QueryContext) -> Condition:
    """True for the candidates of the filter, false or NULL for the others."""
    match tree:
        case Everything():
            return true()
        case And():
            return and_(*(condition(term, asking) for term in tree.terms))
        case Or():
            return or_(*(condition(term, asking) for term in tree.terms))
        case Not():
            # What is not known is not so: NOT NULL would be neither.
            return not_(func.coalesce(condition(tree.term, asking), false()))
        case MyVerdict():
            return _my_verdict(tree.verdict, asking)
        case AnyVerdict():
            return _any_verdict(tree.verdict)
        case AgentVerdict():
            return _agent_verdict(tree.answer)
        case Number():
            return COMPARING[tree.compare](_number(tree.field, asking), tree.value)
        case Words():
            return _words(tree)
        case OwnColumnFilter():
            return _inside(_own(tree, asking))
        case Flag():
            return _flag(tree.name, asking)
        case Anywhere():
            return _anywhere(tree.text, asking)
        case Disagree():
            return _disagree(tree.between, asking)
        case Has():
            return _has(tree.thing, asking)
        case InList():
            return candidates.c.list_id == tree.number
        case InspectedBy():
            return _inspected_by(tree)
        case _:
            assert_never(tree)


def unjudged_sql(me: int) -> str:
    """The condition of the index for it, word for word; the bit is a number of ours."""
    return f"(judged_by & {judged_bit(me)}) = 0"


def _my_verdict(verdict: Verdict | None, asking: QueryContext) -> Condition:
    if verdict is None:
        return true() if asking.me is None else raw_sql(unjudged_sql(asking.me))
    return _judged(judgements.c.reviewer_id == asking.number, judgements.c.verdict == verdict)


def _mine(column: ColumnElement[Any], asking: QueryContext) -> ColumnElement[Any]:
    """A column of the reviewer's own judgement; NULL where there is none."""
    whose = (judgements.c.candidate_id == candidates.c.id) & (
        judgements.c.reviewer_id == asking.number
    )
    return select(column).where(whose).correlate(candidates).scalar_subquery()


def _any_verdict(verdict: Verdict | None) -> Condition:
    if verdict is None:
        return candidates.c.judged_by == 0
    return _judged(judgements.c.verdict == verdict)


def _judged(*conditions: Condition) -> Condition:
    """By anybody, in such a way."""
    return _inside(judgements.c.candidate_id == candidates.c.id, *conditions)


def _agent_verdict(answer: str) -> Condition:
    if answer in ("yes", "no"):
        return candidates.c.agent_verdict == answer.upper()
    is_seen = candidates.c.agent_stopped_by != ""
    return candidates.c.agent_verdict.is_(None) & (is_seen if answer == "undecided" else ~is_seen)


def _number(field: str, asking: QueryContext) -> ColumnElement[Any]:
    if field == "confidence":
        return _mine(judgements.c.confidence, asking)
    return candidates.c["agent_p_yes" if field == "p_yes" else field]


def _words(tree: Words) -> Condition:
    if tree.field == "comment":
        return _judged(raw_sql(COMMENTED), _said(judgements.c.comment, tree))
    return _said(candidates.c["object_id" if tree.field == "object" else tree.field], tree)


def _said(column: ColumnElement[Any], tree: Words) -> Condition:
    return column == tree.text if tree.compare == "=" else _holds(column, tree.text)


def _holds(column: ColumnElement[Any], part: str) -> Condition:
    """Whatever the case of its letters."""
    return column.icontains(part, autoescape=True)


def _own(tree: OwnColumnFilter, asking: QueryContext) -> Condition:
    value = _OwnValue(asking)
    named = value.name == tree.column
    if tree.compare == "contains":
        return named & _holds(value.text, tree.text)
    number = tree.number
    as_number = false() if number is None else COMPARING[tree.compare](value.number, number)
    if tree.compare == "=":
        return named & or_(as_number, func.lower(value.text) == func.lower(tree.text))
    return named & as_number


class _OwnValue:
    """One of a candidate's own columns: its name, its value as text, and as a number or NULL."""

    def __init__(self, asking: QueryContext) -> None:
        self.text: ColumnElement[str]
        self.number: ColumnElement[float]
        if asking.is_file:
            found = func.json_each(candidates.c.own).table_valued("key", "value", "type")
            kind = found.c.type
            self.text = case((kind.in_(("true", "false")), kind), else_=cast(found.c.value, String))
            self.number = case((kind.in_(("integer", "real")), found.c.value))
        else:
            found = func.json_each(cast(candidates.c.own, JSON)).table_valued("key", "value")
            self.text = found.c.value.op("#>>", return_type=String())(literal_column("'{}'"))
            is_number = func.json_typeof(found.c.value) == "number"
            self.number = case((is_number, cast(self.text, Double)))
        self.name = found.c.key


def _flag(name: str, asking: QueryContext) -> Condition:
    flags = _mine(judgements.c.flags, asking)
    if asking.is_file:
        found = func.json_each(flags).table_valued("value")
    else:
        found = func.json_array_elements_text(cast(flags, JSON)).table_valued("value")
    return _inside(found.c.value == name)


def _anywhere(part: str, asking: QueryContext) -> Condition:
    return or_(
        _holds(candidates.c.object_id, part),
        _judged(raw_sql(COMMENTED), _holds(judgements.c.comment, part)),
        _inside(_holds(_OwnValue(asking).text, part)),
    )


def _disagree(between: str, asking: QueryContext) -> Condition:
    if between == "agents":
        return raw_sql(DIFFERING)
    if between == "people":
        verdict = judgements.c.verdict
        here = judgements.c.candidate_id == candidates.c.id
        said = select(func.count(verdict.distinct())).where(here).correlate(candidates)
        return raw_sql(JUDGED_BY_SEVERAL) & (said.scalar_subquery() > 1)
    mine = _mine(judgements.c.verdict, asking)
    says = candidates.c.agent_verdict
    return or_(
        (mine == Verdict.ACCEPT) & (says == "NO"), (mine == Verdict.REJECT) & (says == "YES")
    )


def _has(thing: str, asking: QueryContext) -> Condition:
    if thing == "fault":
        return raw_sql(FAULTY)
    if thing == "path":
        return candidates.c.path != ""
    if thing == "comment":
        return _judged(raw_sql(COMMENTED))
    return _judged(judgements.c.reviewer_id == asking.number, raw_sql(FLAGGED))


def _inspected_by(tree: InspectedBy) -> Condition:
    found = [
        inspections.c.candidate_id == candidates.c.id,
        inspections.c.model == tree.model,
        inspections.c.stopped_by.not_in(UNFINISHED),
    ]
    if tree.sha256 is not None:
        found.append(inspections.c.model_sha256 == tree.sha256)
    return _inside(*found)


def _inside(*conditions: Condition) -> Condition:
    """There is such a row, of what the conditions name, that belongs to the candidate."""
    return exists().where(*conditions).correlate(candidates)


def raw_sql(words: str) -> Condition:
    """A constant of ours, word for word as an index has it."""
    return literal_column(f"({words})")
