"""Beside which candidates a reviewer has seen what an agent says: no restart makes it unseen.

The log tells it of verdicts that were given in that knowledge. What was seen and not judged since
is kept among the session's facts, one for each candidate and reviewer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import select

from app.core.database.database import write_facts
from app.core.database.tables import facts, log, reviewers
from app.core.session.session import Session

UNSEEN = "{}"
PREFIX = "seen:"
"""Of the facts: then the candidate's number and the reviewer."""
BLIND, OPEN = "b", "o"
"""Before the name of the model."""


@dataclass(frozen=True)
class SeenResult:
    """`model`: the one seen at work there; empty: none in particular. `in_blind`: in blind mode,
    by a person who wanted to see it or had judged."""

    model: str = ""
    in_blind: bool = False


def read_seen(session: Session, candidate_id: int) -> SeenResult | None:
    """What this session's reviewer has seen there; None: nothing."""
    key = seen_key(candidate_id, session.reviewer)
    fact = select(facts.c.value).where(facts.c.key == key)
    told = (
        select(log.c.id)
        .join(reviewers, reviewers.c.id == log.c.reviewer_id)
        .where(log.c.candidate_id == candidate_id, reviewers.c.name == session.reviewer)
        .where(log.c.shown != UNSEEN, log.c.action == "set")
        .limit(1)
    )
    with session.database.reading() as connection:
        found = connection.execute(fact).scalar()
        if isinstance(found, str):
            return seen_from(found)
        return None if connection.execute(told).scalar() is None else SeenResult()


def record_seen(session: Session, seen: Mapping[int, SeenResult]) -> None:
    """Store what this session's reviewer has seen, by candidate number, in one transaction."""
    if seen:
        rows = {
            seen_key(number, session.reviewer): seen_text(each) for number, each in seen.items()
        }
        with session.database.writing() as connection:
            write_facts(connection, rows)


def seen_key(candidate_id: int, reviewer: str) -> str:
    return f"{PREFIX}{candidate_id}:{reviewer}"


def seen_text(seen: SeenResult) -> str:
    """As a fact's value."""
    return (BLIND if seen.in_blind else OPEN) + seen.model


def seen_from(text: str) -> SeenResult:
    return SeenResult(model=text[1:], in_blind=text.startswith(BLIND))
