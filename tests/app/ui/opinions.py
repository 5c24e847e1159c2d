"""Stores an agent's opinion as an inspection does."""

from __future__ import annotations

from sqlalchemy import update

from app.core.database.tables import candidates
from app.core.session.records import Change
from app.core.session.session import Session


def give_opinion(session: Session, number: int, verdict: str | None, p_yes: float | None) -> None:
    """Store the opinion of the model nano on a candidate."""
    with session.database.writing() as connection:
        values = {
            "agent_verdict": verdict,
            "agent_p_yes": p_yes,
            "agent_model": "nano",
            "agent_stopped_by": "answer",
        }
        connection.execute(update(candidates).where(candidates.c.id == number).values(values))
    session.changed.emit(Change(aspect="inspection", candidate_ids=frozenset({number})))
