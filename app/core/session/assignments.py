"""Who is to judge which candidates. Without assignments, everybody judges everything."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import ColumnElement, Connection, func, select

from app.core.database.database import insert_or_update
from app.core.database.tables import assignments, judgements, reviewers
from app.core.session import verdict_log
from app.core.session.session import MAX_IDS, Session
from app.core.session.verdict_log import find_reviewer

Reason = Literal["first", "overlap", "second"]
"""Why somebody has a candidate: it is theirs; it is given to two to measure agreement; or a rule
asked for a second opinion."""
REASONS: tuple[Reason, ...] = get_args(Reason)

PLAN_FACT = "sharing"  # of the fact that says how the list was shared out
STUDY_FACT = "study"  # of the fact with the plan of a study, if there is one
STANDS = assignments.c.withdrawn.is_(False)


@dataclass(frozen=True, kw_only=True)
class Part:
    """How far one person is with what they were assigned."""

    reviewer: str
    assigned: int
    judged: int
    second: int  # second opinions among those assigned
    second_left: int

    @property
    def left(self) -> int:
        return self.assigned - self.judged


def is_assigned_to(reviewer_id: int) -> ColumnElement[bool]:
    return (assignments.c.reviewer_id == reviewer_id) & STANDS


def has_assignments(session: Session) -> bool:
    """Whether the session's reviewer has been assigned anything."""
    with session.database.reading() as connection:
        number = find_reviewer(connection, session.reviewer)
        return number is not None and count_assigned(connection, number, at_most=1) > 0


def count_assigned(connection: Connection, reviewer_id: int, at_most: int | None = None) -> int:
    some = select(assignments.c.candidate_id).where(is_assigned_to(reviewer_id)).limit(at_most)
    return connection.execute(select(func.count()).select_from(some.subquery())).scalar_one()


def parts(session: Session) -> tuple[Part, ...]:
    """The progress of everybody who was assigned something, by reviewer number."""
    is_second = assignments.c.reason == "second"
    is_judged = judgements.c.verdict.is_not(None)
    query = (
        select(
            reviewers.c.name.label("reviewer"),
            func.count().label("assigned"),
            func.count().filter(is_judged).label("judged"),
            func.count().filter(is_second).label("second"),
            func.count().filter(is_second, is_judged.is_not(True)).label("second_left"),
        )
        .select_from(assignments)
        .join(reviewers, reviewers.c.id == assignments.c.reviewer_id)
        .outerjoin(
            judgements,
            (judgements.c.candidate_id == assignments.c.candidate_id)
            & (judgements.c.reviewer_id == assignments.c.reviewer_id),
        )
        .where(STANDS)
        .group_by(reviewers.c.id, reviewers.c.name)
        .order_by(reviewers.c.id)
    )
    return tuple(Part(**row._asdict()) for row in session.database.rows(query))


def assign(connection: Connection, given: Sequence[tuple[int, int, Reason]]) -> None:
    """Store assignments: candidate, reviewer and reason; one taken back before stands again."""
    at = verdict_log.now()
    rows = [
        {"candidate_id": one, "reviewer_id": who, "reason": why, "at": at, "withdrawn": False}
        for one, who, why in given
    ]
    store_assignments(connection, rows)


def store_assignments(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    made = insert_or_update(connection, assignments)
    made = made.on_conflict_do_update(
        index_elements=["candidate_id", "reviewer_id"],
        set_={name: made.excluded[name] for name in ("reason", "at", "withdrawn")},
    )
    for start in range(0, len(rows), MAX_IDS):
        connection.execute(made, rows[start : start + MAX_IDS])
