"""The values of columns as filters, orders and tables read them, in a file and on a server.

A column is one of the list, of a service, such as `gaia.bp_rp`, what an assistant proposes, by the
name `assistant.proposal`, or one of the reviewer's opinion: `mine.subclass`, `mine.velocity` and
`mine.NAME` of an own field.
"""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Column, ColumnElement, Connection, func, select

from app.core.database import tables
from app.core.database.tables import candidates, evidence, inspections, judgements, raw_sql
from app.core.session.evidence_services import SEPARATION
from app.core.session.own_fields import NAME as FIELD_NAME
from app.core.session.proposals import by_assistant
from app.core.session.records import Judgement
from app.core.session.session import Session
from app.core.session.subclass_and_fields import most_specific
from app.services.catalogues.answer import State
from app.services.catalogues.service import Service, all_services

NAME = re.compile(r"([a-z][a-z0-9_]{0,39})\.([a-z][a-z0-9_]{0,59})")
"""A service and its column, such as `gaia.bp_rp`."""
IS_FOUND = evidence.c.is_newest & (evidence.c.state == State.FOUND)
"""Of a row of the evidence: it is the newest answer, with a match."""
PROPOSAL = "assistant.proposal"
PROPOSED = func.coalesce(inspections.c.verdict, "UNSURE")
MINE = "mine."
SUBCLASS, VELOCITY = f"{MINE}subclass", f"{MINE}velocity"
FOUND_PREFIX = "found_"  # of the columns of a list that was chosen from a survey

Condition = ColumnElement[bool]
Expression = ColumnElement[Any]


@dataclass(frozen=True)
class QueryContext:
    """The reviewer and the kind of database.

    `reviewer_id` is None until the reviewer has written something.
    """

    reviewer_id: int | None
    is_file: bool  # True for SQLite, False for PostgreSQL

    @property
    def reviewer_or_0(self) -> int:
        """The reviewer's id; 0, which matches nobody, if there is none."""
        return self.reviewer_id or 0

    @property
    def is_mine(self) -> Condition:
        """Of a judgement: it is the reviewer's own."""
        return judgements.c.reviewer_id == self.reviewer_or_0


def context_of(session: Session) -> QueryContext:
    return QueryContext(session.reviewer_number, session.database.is_file)


def parts_of(name: str) -> tuple[str, str] | None:
    """The service and the column that a name may stand for."""
    found = NAME.fullmatch(name)
    return None if found is None else (found[1], found[2])


def names_of(service: Service) -> list[str]:
    """The columns of a service with their uncertainties, and the separation."""
    names = []
    for each in service.columns:
        names += [each.name, f"{each.name}_error"] if each.error else [each.name]
    return [f"{service.id}.{name}" for name in (*names, SEPARATION)]


def known_name(name: str) -> str | None:
    """The name if it is a column of a service that we know, or of assistants."""
    if name.lower() == PROPOSAL:
        return PROPOSAL
    parts = parts_of(name.lower())
    service = None if parts is None else all_services().get(parts[0])
    return name.lower() if service is not None and name.lower() in names_of(service) else None


def gives_class_away(name: str) -> bool:
    """Whether blind mode hides a service or one of its columns, what assistants propose, or a
    column with which `spec-o3 find` says how likely a class is."""
    if name == PROPOSAL or name.startswith(FOUND_PREFIX):
        return True
    word, dot, _ = name.partition(".")
    if dot and parts_of(name) is None:
        return False
    service = all_services().get(word)
    return service is not None and service.hides_class


def is_of_opinion(name: str) -> bool:
    return name.startswith(MINE) and FIELD_NAME.fullmatch(name.removeprefix(MINE)) is not None


def index_condition(name: str) -> str:
    """The condition of the index that has all judgements with such a value."""
    return {SUBCLASS: tables.SUBCLASSED, VELOCITY: tables.WITH_VELOCITY}.get(
        name, tables.WITH_FIELDS
    )


def value_of_opinion(mine: Judgement | None, name: str) -> Any:
    """What the table shows: the narrowest sub-class, or the value of a field; None without."""
    if mine is None:
        return None
    if name == SUBCLASS:
        return most_specific(mine.opinion.subclass) or None
    if name == VELOCITY:
        return None if mine.opinion.velocity is None else mine.opinion.velocity.kms
    return dict(mine.opinion.fields).get(name.removeprefix(MINE))


@dataclass(frozen=True, eq=False, kw_only=True)
class ColumnValue:
    """A column's value in a row of some table: as text, and as a number or NULL."""

    candidate_id: Column[Any]
    is_there: Condition  # of a row: it has such a value
    text: Expression
    number: Expression
    levels: ColumnElement[str] | None = None
    """Of a sub-class: its names, each between two strokes, in small letters."""


def column_values(name: str, context: QueryContext) -> list[ColumnValue]:
    """Where a column is: the reviewer's opinions, or else the list, then a service's answers."""
    if is_of_opinion(name):
        return [_of_opinion(name, context)]
    column, text, number = listed_columns(is_file=context.is_file)
    listed = ColumnValue(
        candidate_id=candidates.c.id, is_there=column == name, text=text, number=number
    )
    parts = parts_of(name)
    return [listed] if parts is None else [listed, _of_service(*parts, is_file=context.is_file)]


def listed_columns(*, is_file: bool) -> tuple[Expression, Expression, Expression]:
    """A candidate's own columns, one a row: name, value as text, and as a number or NULL."""
    if is_file:
        found = func.json_each(candidates.c.own).table_valued(
            "key", "value", "type", joins_implicitly=True
        )
        kind = found.c.type
        text = sa.case((kind.in_(("true", "false")), kind), else_=sa.cast(found.c.value, sa.String))
        return found.c.key, text, sa.case((kind.in_(("integer", "real")), found.c.value))
    found = func.json_each(sa.cast(candidates.c.own, sa.JSON)).table_valued(
        "key", "value", joins_implicitly=True
    )
    as_text = found.c.value.op("#>>", return_type=sa.String())(sa.literal_column("'{}'"))
    is_number = func.json_typeof(found.c.value) == "number"
    return found.c.key, as_text, sa.case((is_number, sa.cast(as_text, sa.Double)))


def _of_opinion(name: str, context: QueryContext) -> ColumnValue:
    number, text = judgements.c.candidate_id, judgements.c.subclass
    # With the condition of the index word for word.
    is_there = sa.and_(context.is_mine, raw_sql(index_condition(name)))
    if name == SUBCLASS:
        levels, nothing = "/" + func.lower(text) + "/", sa.cast(None, sa.Double)
        return ColumnValue(
            candidate_id=number, is_there=is_there, text=text, number=nothing, levels=levels
        )
    column, field = judgements.c.fields, name.removeprefix(MINE)
    if name == VELOCITY:
        column, field = judgements.c.velocity, "kms"
    value, kind, as_number = _json_value(column, (field,), is_file=context.is_file)
    is_yes = kind == ("true" if context.is_file else "boolean")
    return ColumnValue(
        candidate_id=number,
        is_there=sa.and_(is_there, kind.is_not(None)),
        text=sa.case((is_yes, "yes"), else_=sa.cast(value, sa.String)),
        number=as_number,
    )


def _of_service(service: str, column: str, *, is_file: bool) -> ColumnValue:
    """A value of the nearest match, or a proposal."""
    if f"{service}.{column}" == PROPOSAL:
        return ColumnValue(
            candidate_id=inspections.c.candidate_id,
            is_there=by_assistant(inspections.c.model),
            text=PROPOSED,
            number=sa.cast(None, sa.Double),
        )
    path = ("0", "separation_arcsec") if column == SEPARATION else ("0", "values", column)
    text, _, number = _json_value(evidence.c.matches, path, is_file=is_file)
    is_there = (evidence.c.service == service) & IS_FOUND
    return ColumnValue(
        candidate_id=evidence.c.candidate_id, is_there=is_there, text=text, number=number
    )


def _json_value(
    column: Column[Any], path: Sequence[str], *, is_file: bool
) -> tuple[Expression, Expression, Expression]:
    """A value in a column of JSON, what kind it is of, and the value as a number or NULL."""
    if is_file:
        place = "$" + "".join("[0]" if step == "0" else f'."{step}"' for step in path)
        value, kind = (call(column, place) for call in (func.json_extract, func.json_type))
        return value, kind, sa.case((kind.in_(("integer", "real")), value))
    document = sa.cast(func.nullif(column, ""), sa.JSON)
    value = func.json_extract_path_text(document, *path)
    kind = func.json_typeof(func.json_extract_path(document, *path))
    return value, kind, sa.case((kind == "number", sa.cast(value, sa.Double)))


def read_values(connection: Connection, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The values of the nearest matches of these candidates, by name such as `gaia.bp_rp`.

    With them is the newest proposal.
    """
    query = select(evidence.c.candidate_id, evidence.c.service, evidence.c.matches)
    query = query.where(evidence.c.candidate_id.in_(list(ids)), IS_FOUND)
    found: dict[int, dict[str, Any]] = {}
    for number, service, matches in connection.execute(query):
        with suppress(ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
            nearest = json.loads(matches)[0]
            values = {f"{service}.{name}": value for name, value in nearest["values"].items()}
            values[f"{service}.{SEPARATION}"] = nearest["separation_arcsec"]
            found.setdefault(number, {}).update(values)
    here = inspections.c.candidate_id.in_(list(ids)), by_assistant(inspections.c.model)
    proposed = select(inspections.c.candidate_id, PROPOSED).where(*here).order_by(inspections.c.at)
    for number, answer in connection.execute(proposed):
        found.setdefault(number, {})[PROPOSAL] = answer
    return found
