"""The records of one candidate: read for the window, and kept when an inspection has ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent.confidence.calibration import Calibration
from agent.trajectory.trajectory import ModelRef, Trajectory
from app.core.inspections.shown_opinion import shown_model
from app.core.inspections.store import StoredInspection, add_inspection, inspections_of
from app.core.queue.conditions import UNFINISHED
from app.core.session.session import Session
from app.core.statistics.calibration import newest_calibration


@dataclass(frozen=True, kw_only=True)
class Records:
    """What agents made of one candidate, the newest first; at most one of each model."""

    candidate_id: int
    inspections: tuple[StoredInspection, ...] = ()
    preferred: ModelRef | None = None
    """The model whose opinion the session shows; None: the newest."""
    unkept: Trajectory | None = None
    """One that was broken off just now, where the session holds a finished one of that model."""
    calibrations: Mapping[tuple[str, str], Calibration] = field(default_factory=dict)
    """By name and hash of the model; only those that were fitted."""

    @property
    def trajectories(self) -> tuple[Trajectory, ...]:
        kept = tuple(each.trajectory for each in self.inspections)
        return kept if self.unkept is None or self.unkept in kept else (self.unkept, *kept)

    @property
    def first(self) -> Trajectory | None:
        """The one to show."""
        for trajectory in (each.trajectory for each in self.inspections):
            if self.preferred is None or is_same_model(trajectory.model, self.preferred):
                return trajectory
        return None

    def calibration_of(self, trajectory: Trajectory) -> Calibration | None:
        model = trajectory.model
        return self.calibrations.get((model.name, model.sha256))

    def calibrated(self, trajectory: Trajectory) -> float | None:
        """p(YES) after the calibration of that very model; None where there is none."""
        rule = self.calibration_of(trajectory)
        return None if rule is None or trajectory.p_yes is None else rule.apply(trajectory.p_yes)


def is_same_model(one: ModelRef, other: ModelRef) -> bool:
    return (one.name, one.sha256) == (other.name, other.sha256)


def read_records(session: Session, candidate_id: int) -> Records:
    """Any thread."""
    inspections = tuple(inspections_of(session, candidate_id))
    models = {(each.trajectory.model.name, each.trajectory.model.sha256) for each in inspections}
    fitted = {
        model: rule
        for model in models
        if (rule := newest_calibration(session, *model)) is not None and rule.is_fitted
    }
    return Records(
        candidate_id=candidate_id,
        inspections=inspections,
        preferred=shown_model(session),
        calibrations=fitted,
    )


def keep(session: Session, candidate_id: int, trajectory: Trajectory) -> bool:
    """Into the session; False where it is not. One that was broken off never takes the place of a
    finished one of the same model, and one without a step tells nothing. Any thread."""
    if session.is_read_only or (trajectory.stopped_by == "cancelled" and not trajectory.steps):
        return False
    if trajectory.stopped_by in UNFINISHED:
        for each in inspections_of(session, candidate_id):
            before = each.trajectory
            if is_same_model(before.model, trajectory.model) and (
                before.stopped_by not in UNFINISHED
            ):
                return False
    add_inspection(session, candidate_id, trajectory)
    return True
