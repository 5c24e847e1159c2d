"""Shares a list out: each candidate to one person, some of them to two.

Hidden candidates with a known answer are dealt like all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from sqlalchemy import Connection, Row, delete, exists, select, update

from app.core.database.tables import assignments, candidates, facts, judgements
from app.core.errors import SessionError
from app.core.queue.filters import QUEUE_FACT
from app.core.session import verdict_log
from app.core.session.assignments import STANDS, Reason, assign
from app.core.session.records import Change
from app.core.session.session import Session
from app.core.session.verdict_log import judged_bit
from app.core.sharing.second_opinions import assign_second_opinions
from app.core.sharing.share_plan import (
    SharePlan,
    checked_plan,
    in_drawn_order,
    parsed_rule,
    read_plan,
    write_plan,
)


@dataclass(frozen=True, kw_only=True)
class ShareReport:
    """Numbers of new assignments."""

    plan: SharePlan
    given: Mapping[str, int]
    """Candidates by person, those given to two included."""
    to_two: int
    second: int
    """Second opinions that the rule asked for."""
    withdrawn: int
    left_out: int
    """Candidates not shared out, as somebody else has judged them already."""


def share_out(session: Session, plan: SharePlan, *, anew: bool = False) -> ShareReport:
    """Give every candidate that nobody has yet to somebody, in one transaction.

    With `anew`, what people have not judged yet is taken back first.
    """
    plan = checked_plan(plan)
    parsed_rule(session, plan.second_when)
    with session.database.writing() as connection:
        write_plan(connection, plan)
        # Their queues begin with what is theirs, whatever they looked at before.
        queues = [f"{QUEUE_FACT}:{name}" for name in plan.people]
        connection.execute(delete(facts).where(facts.c.key.in_(queues)))
        withdrawn = _withdraw_unjudged(connection) if anew else 0
        given, to_two, left_out = deal(connection, plan)
    second = assign_second_opinions(session)
    session.changed.emit(Change(aspect="list"))
    return ShareReport(
        plan=plan, given=given, to_two=to_two, second=second, withdrawn=withdrawn, left_out=left_out
    )


def share_out_the_rest(session: Session) -> ShareReport:
    """Share out what came later, such as another list, as the list was shared out before."""
    with session.database.reading() as connection:
        plan = read_plan(connection)
    if plan is None:
        raise SessionError("this session is not shared out yet: name the people with --to")
    return share_out(session, plan)


def deal(connection: Connection, plan: SharePlan) -> tuple[dict[str, int], int, int]:
    """Deal what nobody has; how many each person got, how many two got, and how many nobody."""
    numbers = {name: verdict_log.reviewer_id(connection, name) for name in plan.people}
    people = list(numbers.values())
    free = in_drawn_order(_free(connection), plan.seed, "deal")
    rows = [row for row in free if not row.judged_by or _judges(row, people)]
    given: list[tuple[int, int, Reason]] = []
    first: dict[int, int] = {}
    turn = 0
    for row in rows:
        judges = _judges(row, people)
        first[row.id] = judges[0] if judges else people[turn % len(people)]
        turn += not judges
        given.append((row.id, first[row.id], "first"))
    drawn = in_drawn_order(rows, plan.seed, "overlap")
    to_two = _in_turn(drawn, first, people)[: round(len(rows) * plan.overlap / 100)]
    for index, row in enumerate(to_two):
        others = [number for number in people if number != first[row.id]]
        given.append((row.id, others[index // len(people) % len(others)], "overlap"))
    assign(connection, given)
    counts = {
        name: sum(person == number for _, person, _ in given) for name, number in numbers.items()
    }
    return counts, len(to_two), len(free) - len(rows)


def _in_turn(rows: Sequence[Any], first: Mapping[int, int], people: Sequence[int]) -> list[Any]:
    """One of each person's after the other, so that all share the overlap evenly."""
    queues = [[row for row in rows if first[row.id] == number] for number in people]
    rounds = zip_longest(*queues)
    return [row for each in rounds for row in each if row is not None]


def _free(connection: Connection) -> Sequence[Row[Any]]:
    """The candidates that are assigned to nobody."""
    names = ("id", "object_id", "path", "row", "judged_by")
    has_person = exists().where(assignments.c.candidate_id == candidates.c.id, STANDS)
    query = select(*(candidates.c[name] for name in names)).where(~has_person)
    return connection.execute(query.order_by(candidates.c.id)).all()


def _judges(row: Row[Any], people: Sequence[int]) -> list[int]:
    """Those of the people who have judged it already."""
    return [number for number in people if row.judged_by & judged_bit(number)]


def _withdraw_unjudged(connection: Connection) -> int:
    is_judged = exists().where(
        judgements.c.candidate_id == assignments.c.candidate_id,
        judgements.c.reviewer_id == assignments.c.reviewer_id,
        judgements.c.verdict.is_not(None),
    )
    taken = update(assignments).where(STANDS, ~is_judged)
    return connection.execute(taken.values(withdrawn=True, at=verdict_log.now())).rowcount
