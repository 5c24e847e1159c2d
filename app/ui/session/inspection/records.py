"""The inspection records of one candidate: reading them and saving new ones."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent.confidence.calibration import Calibration
from agent.trajectory.trajectory import ModelRef, Trajectory
from app.core.inspections.shown_opinion import shown_model
from app.core.inspections.store import StoredInspection, add_inspection, inspections_of
from app.core.queue.sql_conditions import UNFINISHED
from app.core.session.proposals import is_assistant
from app.core.session.session import Session
from app.core.statistics.calibration import newest_calibration


@dataclass(frozen=True, kw_only=True)
class Records:
    """Inspections of one candidate, newest first; at most one per model."""

    candidate_id: int
    inspections: tuple[StoredInspection, ...] = ()
    preferred: ModelRef | None = None
    """The model whose opinion the session shows; None: the newest record."""
    unsaved: Trajectory | None = None
    """A run interrupted just now whose model already has a finished record in the session."""
    calibrations: Mapping[tuple[str, str], Calibration] = field(default_factory=dict)
    """Fitted calibrations by model name and hash."""

    @property
    def trajectories(self) -> tuple[Trajectory, ...]:
        saved = tuple(each.trajectory for each in self.inspections)
        return saved if self.unsaved is None or self.unsaved in saved else (self.unsaved, *saved)

    @property
    def default(self) -> Trajectory | None:
        """The record shown first, as in the queue; of an assistant, if no model has inspected."""
        every = [each.trajectory for each in self.inspections]
        if self.preferred is not None:
            return next((e for e in every if is_same_model(e.model, self.preferred)), None)
        of_models = (each for each in every if not is_assistant(each.model.name))
        return next(of_models, next(iter(every), None))

    def calibration_of(self, trajectory: Trajectory) -> Calibration | None:
        model = trajectory.model
        return self.calibrations.get((model.name, model.sha256))

    def calibrated(self, trajectory: Trajectory) -> float | None:
        """Calibrated p(YES); None if its model has no calibration."""
        rule = self.calibration_of(trajectory)
        return None if rule is None or trajectory.p_yes is None else rule.apply(trajectory.p_yes)


def is_same_model(one: ModelRef, other: ModelRef) -> bool:
    return (one.name, one.sha256) == (other.name, other.sha256)


def read_records(session: Session, candidate_id: int) -> Records:
    """Read all records of a candidate. Any thread."""
    inspections = tuple(inspections_of(session, candidate_id))
    models = {(each.trajectory.model.name, each.trajectory.model.sha256) for each in inspections}
    rules = {model: newest_calibration(session, *model) for model in models}
    return Records(
        candidate_id=candidate_id,
        inspections=inspections,
        preferred=shown_model(session),
        calibrations={model: rule for model, rule in rules.items() if rule and rule.is_fitted},
    )


def save_record(session: Session, candidate_id: int, trajectory: Trajectory) -> bool:
    """Save the record in the session; return False if there was nothing worth saving.

    An interrupted run never replaces a finished one of the same model. Any thread.
    """
    if session.is_read_only or (trajectory.stopped_by == "cancelled" and not trajectory.steps):
        return False
    if trajectory.stopped_by in UNFINISHED:
        for before in (each.trajectory for each in inspections_of(session, candidate_id)):
            is_same = is_same_model(before.model, trajectory.model)
            if is_same and before.stopped_by not in UNFINISHED:
                return False
    add_inspection(session, candidate_id, trajectory)
    return True
