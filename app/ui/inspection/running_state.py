"""State of one waiting or running inspection, as the window shows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from agent.engines.base import RESTARTED
from agent.inspection.built_in import built_in
from agent.inspection.control import Interjection
from agent.trajectory.trajectory import ModelRef, Step, Trajectory
from app.worker.inspection import RunningInspection

MAX_PARTIAL_TEXT = 20_000
"""Characters kept of an unfinished turn; a runaway model writes more, and only the end shows."""

RunState = Literal["waiting", "working", "paused"]


@dataclass(eq=False, kw_only=True)
class RunningState:
    """The inspection of one candidate. Use it on the GUI thread only."""

    candidate_id: int
    object_id: str
    z: float | None
    """Redshift that moved the pictures to the rest frame; None: they are observed."""
    model: ModelRef
    """The requested model; once started, the loaded one."""
    so_far: Trajectory | None = None
    inspection: RunningInspection | None = None
    """None until the request goes to the worker."""
    steps: list[Step] = field(default_factory=list)
    partial_text: str = ""
    """Text of the unfinished turn."""
    is_started: bool = False
    is_paused: bool = False
    is_stopping: bool = False
    look_s: float = 0.0
    """Seconds that a person has for each look."""
    _inserted: list[Interjection] = field(default_factory=list)

    def attach(self, inspection: RunningInspection) -> None:
        """Pass on what the person did before the request went to the worker."""
        self.inspection = inspection
        if self.is_paused:
            inspection.hold()
        if self.look_s:
            inspection.set_pace(self.look_s)
        for each in self._inserted:
            inspection.insert(each)

    def set_paused(self, paused: bool) -> None:
        self.is_paused = paused
        if self.inspection is not None and paused:
            self.inspection.hold()
        elif self.inspection is not None:
            self.inspection.go_on()

    def set_pace(self, look_s: float) -> None:
        if look_s == self.look_s:
            return
        self.look_s = look_s
        if self.inspection is not None:
            self.inspection.set_pace(look_s)

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
        if self.is_paused:
            return "paused"
        return "working" if self.is_started else "waiting"

    @property
    def turn(self) -> int:
        """Number of the agent's current or next turn, from 0."""
        return max((step.turn for step in self.steps if step.by == "agent"), default=-1) + 1

    def add_text(self, text: str) -> None:
        self.partial_text = (
            "" if text == RESTARTED else (self.partial_text + text)[-MAX_PARTIAL_TEXT:]
        )

    def add_step(self, step: Step) -> None:
        if step.by == "agent":
            self.partial_text = ""
        self.steps.append(step)


def initial_steps(so_far: Trajectory | None) -> list[Step]:
    """Return the steps to show before a continued inspection adds its own."""
    if so_far is None:
        return []
    own = built_in(so_far.model.engine)
    if own is not None and own.starts_over:  # with the person's steps
        return [step for step in so_far.steps if step.by == "person"]
    return list(so_far.steps)
