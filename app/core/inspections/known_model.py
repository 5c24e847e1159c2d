"""By which name and hash a session knows a model that its records may have under another."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import func, select

from agent.trajectory.trajectory import ModelRef, Trajectory
from app.core.database.tables import inspections
from app.core.inspections.shown_opinion import made_by
from app.core.inspections.store import models_of
from app.core.session.session import Session


def as_recorded(session: Session, model: ModelRef) -> ModelRef:
    """The model as the session's records name it, so that a survey begun before goes on.

    Older records of a model on a server have a hash that is of the server's address, too. Of
    several such the one with the most inspections counts.
    """
    others = model.also
    known = [each for each in models_of(session) if each.sha256 in others] if others else []
    if not known:
        return model
    most = max(known, key=lambda each: _count(session, each))
    others = (model.sha256, *others)
    return replace(model, name=most.name, sha256=most.sha256, also=others)


def recorded_by(trajectory: Trajectory, model: ModelRef) -> Trajectory:
    """The trajectory under the name that `as_recorded` gave, if it is of that model."""
    return replace(trajectory, model=model) if trajectory.model.sha256 in model.also else trajectory


def _count(session: Session, model: ModelRef) -> int:
    with session.database.reading() as connection:
        query = select(func.count()).select_from(inspections).where(made_by(model))
        return connection.execute(query).scalar_one()
