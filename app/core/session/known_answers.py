"""Candidates whose class is known, hidden in the list to measure how well people judge.

They look like any other candidate until the person has judged them, and are in no catalogue.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select

from app.core.database.tables import known_answers
from app.core.session.records import Verdict
from app.core.session.session import Session
from app.core.session.stored_opinions import damaged, have_type

MAX_CLASS_NAME = 80
HIDDEN_BY = "known_by"  # the fact that names who has hidden known answers last


@dataclass(frozen=True, kw_only=True)
class KnownAnswer:
    """What a hidden candidate really is."""

    candidate_id: int
    is_member: bool  # whether it is of the class of the session's task
    class_name: str  # as its list of labels says, such as "CV" or "M dwarf"
    is_simulated: bool
    source: str

    def is_right(self, verdict: str | None) -> bool:
        """Whether the verdict says what is known; one that is unsure does not."""
        return verdict == (Verdict.ACCEPT if self.is_member else Verdict.REJECT)


def not_known(candidate_id: ColumnElement[int]) -> ColumnElement[bool]:
    """True of the candidates that are found, not hidden: those that results are about."""
    return candidate_id.not_in(select(known_answers.c.candidate_id))


def has_known_answers(session: Session) -> bool:
    return bool(session.database.rows(select(known_answers.c.candidate_id).limit(1)))


def known_ids(session: Session) -> frozenset[int]:
    """The hidden candidates."""
    return frozenset(session.database.scalars(select(known_answers.c.candidate_id)))


def known_answer_of(session: Session, candidate_id: int) -> KnownAnswer | None:
    """The known answer of a candidate. Show it only to who has judged the candidate."""
    query = select(known_answers).where(known_answers.c.candidate_id == candidate_id)
    rows = session.database.rows(query)
    return known_answer_from(rows[0]) if rows else None


def read_known_answers(connection: Connection) -> dict[int, KnownAnswer]:
    """All known answers, by candidate id."""
    rows = connection.execute(select(known_answers).order_by(known_answers.c.candidate_id))
    return {row.candidate_id: known_answer_from(row) for row in rows}


def without_known(connection: Connection, ids: Collection[int]) -> list[int]:
    """These candidates in their order, without those that are hidden."""
    hidden = set(connection.execute(select(known_answers.c.candidate_id)).scalars())
    return [number for number in ids if number not in hidden]


def known_among(session: Session, ids: Collection[int]) -> list[KnownAnswer]:
    """The known answers of these candidates. Show them only to who has judged all of them."""
    with session.database.reading() as connection:
        answers = read_known_answers(connection)
    return [answers[number] for number in ids if number in answers]


def known_answer_from(row: Row[Any]) -> KnownAnswer:
    is_sound = (
        have_type(int, row.candidate_id)
        and have_type(bool, row.is_member, row.simulated)
        and have_type(str, row.class_name, row.source)
        and len(row.class_name) <= MAX_CLASS_NAME
        and (row.class_name.isprintable() or not row.class_name)
    )
    if not is_sound:
        raise damaged("a known answer")
    return KnownAnswer(
        candidate_id=row.candidate_id,
        is_member=row.is_member,
        class_name=row.class_name,
        is_simulated=row.simulated,
        source=row.source,
    )
