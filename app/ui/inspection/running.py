"""An inspection that waits or runs, as the window follows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from agent.engines.base import RESTARTED
from agent.inspection.control import Interjection
from agent.trajectory.trajectory import ModelRef, Step, Trajectory
from app.worker.inspection import RunningInspection

MAX_HALF_SAID = 20_000
"""Characters of the turn that is being said; a runaway model says more, and only the end shows."""

RunState = Literal["waiting", "working", "held"]


@dataclass(eq=False, kw_only=True)
class RunningState:
    """Of one candidate. For the window's thread alone."""

    candidate_id: int
    object_id: str
    z: float | None
    """That moved the pictures, where not None."""
    model: ModelRef
    """As it was asked for; as it was loaded from the start on."""
    so_far: Trajectory | None = None
    inspection: RunningInspection | None = None
    """None until the worker is asked."""
    steps: list[Step] = field(default_factory=list)
    said: str = ""
    """Of the turn that is being said."""
    is_started: bool = False
    is_held: bool = False
    is_stopping: bool = False
    _inserted: list[Interjection] = field(default_factory=list)

    def begin(self, inspection: RunningInspection) -> None:
        """What was said to it before the worker was asked is said now."""
        self.inspection = inspection
        if self.is_held:
            inspection.hold()
        for each in self._inserted:
            inspection.insert(each)

    def hold(self, hold: bool) -> None:
        self.is_held = hold
        if self.inspection is not None and hold:
            self.inspection.hold()
        elif self.inspection is not None:
            self.inspection.go_on()

    def insert(self, interjection: Interjection) -> None:
        if self.inspection is None:
            self._inserted.append(interjection)
        else:
            self.inspection.insert(interjection)

    def cancel(self) -> None:
        self.is_stopping = True
        if self.inspection is not None:
            self.inspection.cancel()

    @property
    def state(self) -> RunState:
        if self.is_held:
            return "held"
        return "working" if self.is_started else "waiting"

    @property
    def turn(self) -> int:
        """The agent's turn that comes next or is being said."""
        return max((step.turn for step in self.steps if step.by == "agent"), default=-1) + 1

    def take_words(self, text: str) -> None:
        self.said = "" if text == RESTARTED else (self.said + text)[-MAX_HALF_SAID:]

    def take_step(self, step: Step) -> None:
        if step.by == "agent":
            self.said = ""
        self.steps.append(step)


def steps_before(so_far: Trajectory | None) -> list[Step]:
    """What is on screen before a continued inspection says anything itself."""
    if so_far is None:
        return []
    if so_far.model.engine == "measured":  # it begins anew with what the person put in
        return [step for step in so_far.steps if step.by == "person"]
    return list(so_far.steps)
