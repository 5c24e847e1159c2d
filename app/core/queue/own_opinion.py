"""Sub-class, velocity and own fields of the reviewer's opinion, as filters and orders read them.

They are columns by the names `mine.subclass` and `mine.NAME`, like those of services.
"""

from typing import Any

from sqlalchemy import JSON, ColumnElement, Double, String, and_, case, cast, func

from app.core.database.tables import SUBCLASSED, WITH_FIELDS, WITH_VELOCITY, judgements, raw_sql
from app.core.session.own_fields import NAME, own_fields
from app.core.session.records import Judgement
from app.core.session.session import Session
from app.core.session.subclass_and_fields import most_specific

MINE = "mine."
SUBCLASS, VELOCITY = f"{MINE}subclass", f"{MINE}velocity"


def opinion_columns(session: Session) -> tuple[tuple[str, bool], ...]:
    """The names of these columns of a session, and whether each holds numbers."""
    subclass = ((SUBCLASS, False),) if session.subclasses else ()
    fields = ((f"{MINE}{each.name}", each.kind == "number") for each in own_fields(session))
    return (*subclass, (VELOCITY, True), *fields)


def is_of_opinion(name: str) -> bool:
    return name.startswith(MINE) and NAME.fullmatch(name.removeprefix(MINE)) is not None


def index_condition(name: str) -> str:
    """The condition of the index that has all judgements with such a value."""
    return {SUBCLASS: SUBCLASSED, VELOCITY: WITH_VELOCITY}.get(name, WITH_FIELDS)


def value_of_opinion(mine: Judgement | None, name: str) -> Any:
    """What the table shows: the narrowest sub-class, or the value of a field; None without."""
    if mine is None:
        return None
    if name == SUBCLASS:
        return most_specific(mine.opinion.subclass) or None
    if name == VELOCITY:
        return None if mine.opinion.velocity is None else mine.opinion.velocity.kms
    return dict(mine.opinion.fields).get(name.removeprefix(MINE))


class OpinionValue:
    """A value in a row of the judgements: as text, and as a number or NULL."""

    def __init__(self, name: str, *, is_file: bool) -> None:
        self.text: ColumnElement[str]
        self.number: ColumnElement[float]
        self.is_there: ColumnElement[bool]  # with the condition of the index word for word
        self.levels: ColumnElement[str] | None = None
        """Of a sub-class: its names, each between two strokes, in small letters."""
        if name == SUBCLASS:
            self.text = judgements.c.subclass
            self.number = cast(None, Double)
            self.levels = "/" + func.lower(judgements.c.subclass) + "/"
            self.is_there = raw_sql(index_condition(name))
            return
        column, field = judgements.c.fields, name.removeprefix(MINE)
        if name == VELOCITY:
            column, field = judgements.c.velocity, "kms"
        if is_file:
            place = f'$."{field}"'
            value, kind = (call(column, place) for call in (func.json_extract, func.json_type))
            self.text = case((kind == "true", "yes"), else_=cast(value, String))
            self.number = case((kind.in_(("integer", "real")), value))
        else:
            fields = cast(func.nullif(column, ""), JSON)
            value = func.json_extract_path_text(fields, field)
            kind = func.json_typeof(func.json_extract_path(fields, field))
            self.text = case((kind == "boolean", "yes"), else_=value)
            self.number = case((kind == "number", cast(value, Double)))
        self.is_there = and_(raw_sql(index_condition(name)), kind.is_not(None))
