"""How a list is shared out among people: one fact of the session, checked when it is read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, select

from app.core.database.database import write_facts
from app.core.database.tables import facts
from app.core.errors import SessionError
from app.core.queue.filter_parser import MAX_LENGTH, parse_filter
from app.core.queue.filters import ME, NOBODY, Filter
from app.core.queue.own_columns import own_columns
from app.core.reviewer_name import MAX_NAME
from app.core.session.assignments import PLAN_FACT
from app.core.session.provenance import file_name
from app.core.session.session import Session
from app.core.session.stored_opinions import damaged, have_type
from app.core.session.verdict_log import MAX_REVIEWERS

MAX_SEED = 2**53


@dataclass(frozen=True, kw_only=True)
class SharePlan:
    """`second_when` is a filter as each person sees it; those who judged are asked by it."""

    people: tuple[str, ...]
    overlap: float = 0.0
    """Percent of the candidates that two people get."""
    second_when: str = ""
    seed: int = 0


def checked_plan(plan: SharePlan) -> SharePlan:
    """Return it with tidy names, or raise a SessionError that says what is wrong."""
    people = tuple(" ".join(name.split()) for name in plan.people)
    for name in people:
        if not 0 < len(name) <= MAX_NAME or not name.isprintable():
            raise SessionError(f"a reviewer's name is 1 to {MAX_NAME} printable characters")
        if name.casefold() in (ME, NOBODY):
            raise SessionError(f"nobody can be called {name} here: it has a meaning in filters")
    if len(set(people)) < len(people):
        raise SessionError("each person can be named only once")
    if not 0 < len(people) <= MAX_REVIEWERS:
        raise SessionError(f"a list is shared out to 1 to {MAX_REVIEWERS} people")
    if not 0.0 <= plan.overlap <= 100.0:
        raise SessionError(f"the overlap is 0 to 100 percent, not {plan.overlap:g}")
    if len(people) < 2 and (plan.overlap or plan.second_when):
        raise SessionError("an overlap or second opinions need at least two people")
    if not -MAX_SEED < plan.seed < MAX_SEED:
        raise SessionError("the seed is a whole number of up to 15 digits")
    return SharePlan(
        people=people,
        overlap=plan.overlap,
        second_when=" ".join(plan.second_when.split()),
        seed=plan.seed,
    )


def parsed_rule(session: Session, rule: str) -> Filter:
    """The rule for second opinions as a filter of this session. Raises FilterError."""
    return parse_filter(rule, [column.name for column in own_columns(session)])


def plan_of(session: Session) -> SharePlan | None:
    """The plan by which the session was shared out last; None if it never was."""
    with session.database.reading() as connection:
        return read_plan(connection)


def read_plan(connection: Connection) -> SharePlan | None:
    text = connection.execute(select(facts.c.value).where(facts.c.key == PLAN_FACT)).scalar()
    return None if text is None else _plan_from(text)


def write_plan(connection: Connection, plan: SharePlan) -> None:
    write_facts(connection, {PLAN_FACT: json.dumps(asdict(plan), ensure_ascii=False)})


def _plan_from(text: object) -> SharePlan:
    try:
        values: Any = json.loads(str(text))
        people, overlap = values["people"], values["overlap"]
        is_sound = (
            isinstance(people, list)
            and have_type(str, values["second_when"], *people)
            and isinstance(overlap, float | int)
            and have_type(int, values["seed"])
            and len(values["second_when"]) <= MAX_LENGTH
        )
        if not is_sound:
            raise ValueError
        return checked_plan(
            SharePlan(
                people=tuple(people),
                overlap=float(overlap),
                second_when=values["second_when"],
                seed=values["seed"],
            )
        )
    except (ValueError, TypeError, KeyError, RecursionError, SessionError) as error:
        raise damaged("how it was shared out") from error


def drawn(seed: int, what: str, *words: object) -> bytes:
    """A draw by a hash: the same on every machine, whatever else is in the list."""
    text = "\0".join((str(seed), what, *map(str, words)))
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def candidate_words(row: Any) -> tuple[str, str, int]:
    """What names a candidate in all copies of a session, as its id does not."""
    return str(row.object_id), file_name(str(row.path)), int(row.row)


def in_drawn_order(rows: Sequence[Any], seed: int, what: str) -> list[Any]:
    """The candidates' rows in an order drawn by the seed."""
    return sorted(rows, key=lambda row: (drawn(seed, what, *candidate_words(row)), row.id))
