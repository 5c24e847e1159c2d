"""What the window shows of the agent's work on the current candidate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from PySide6.QtCore import QObject, Signal

from agent.engines.base import RESTARTED
from agent.errors import WorkbenchError
from agent.inspection.built_in import built_in
from agent.inspection.control import Interjection
from agent.spectra.spectrum import Window
from agent.trajectory.trajectory import ModelRef, Step, Trajectory
from app.core.inspections.shown_opinion import SHOWN
from app.core.queue import QueueRow
from app.core.session.records import Change
from app.ui.base.background.runner import Runner
from app.ui.session.candidate.current import CurrentCandidate
from app.ui.session.inspection.records import Records, read_records
from app.ui.session.session_bridge import SessionBridge
from app.worker.inspection import RunningInspection

MAX_PARTIAL_TEXT = 20_000
"""Characters kept of an unfinished turn; a runaway model writes more, and only the end shows."""

RunState = Literal["waiting", "working", "paused"]


class ShownTrajectory(QObject):
    """The running inspection of the current candidate, else one of its records.

    Shows nothing while blind mode hides the agent's opinion.
    """

    trajectory_changed = Signal(object)  # the shown record, a `Trajectory` or None
    step_index_changed = Signal(int)  # Index in `steps` of the step the plot shows; -1: none.
    look_changed = Signal(object, str)
    """The agent's window (observed angstrom) and its label; None: it looks nowhere now."""
    records_changed = Signal(object)  # `Records` of the current candidate, empty while hidden

    def __init__(
        self,
        bridge: SessionBridge,
        current: CurrentCandidate,
        runner: Runner,
        runs: Mapping[int, RunningState],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.trajectory: Trajectory | None = None
        self.step_index = -1
        self.records = Records(candidate_id=0)
        self._session, self._current = bridge.session, current
        self._runner, self._runs = runner, runs
        self._request = self._answered = 0
        self._is_closed = False
        current.candidate_changed.connect(self._on_candidate_changed)
        current.row_changed.connect(self._refresh)
        current.blind_mode.changed.connect(self._refresh)
        bridge.changed.connect(self._on_session_changed)

    @property
    def is_hidden(self) -> bool:
        """Whether blind mode hides the agent's work on the current candidate."""
        row = self._current.row
        return row is not None and self._current.blind_mode.hides(row)

    @property
    def is_reading(self) -> bool:
        """Whether the records of the current candidate are still being read."""
        return self._answered != self._request

    @property
    def run(self) -> RunningState | None:
        """The waiting or running inspection of the current candidate."""
        number = self._current.candidate_id
        return None if number is None else self._runs.get(number)

    @property
    def steps(self) -> tuple[Step, ...]:
        if self.is_hidden:
            return ()
        if self.run is not None:
            return tuple(self.run.steps)
        return () if self.trajectory is None else self.trajectory.steps

    @property
    def z(self) -> float | None:
        """The redshift in whose rest frame the wavelengths of `steps` are."""
        if self.run is not None:
            return self.run.z
        return None if self.trajectory is None else self.trajectory.spectrum.z

    def observed(self, step: Step) -> Window | None:
        """Return the window of one of `steps` in observed angstrom."""
        if step.range is None:
            return None
        shift = 1.0 + (self.z or 0.0)
        return step.range[0] * shift, step.range[1] * shift

    def show(self, trajectory: Trajectory | None) -> None:
        """Show this record of the current candidate, or none."""
        if trajectory is not None and (self.is_hidden or self.run is not None):
            return
        if trajectory is not None and self._current.candidate is not None:
            # The row on screen may be older than the record: a verdict given now says it was seen.
            name, number = trajectory.model.name, self._current.candidate.id
            self._current.blind_mode.note_watched(number, name)
        was_looking, self.step_index, self.trajectory = self.step_index >= 0, -1, trajectory
        self.trajectory_changed.emit(trajectory)
        self.step_index_changed.emit(-1)
        if was_looking:
            self.look_changed.emit(None, "")

    def show_default(self) -> None:
        self.show(None if self.is_hidden else self.records.default)

    def replay(self, index: int) -> None:
        """Show the window of this step in the plot."""
        steps = self.steps
        if not 0 <= index < len(steps):
            return
        self.step_index = index
        self.step_index_changed.emit(index)
        if steps[index].is_look:
            self.look_changed.emit(self.observed(steps[index]), steps[index].label)

    def replay_next_look(self) -> bool:
        """Replay the next look, after the last one the first; return False if there is none."""
        looks = [index for index, step in enumerate(self.steps) if step.is_look]
        if looks:
            self.replay(next((index for index in looks if index > self.step_index), looks[0]))
        return bool(looks)

    def show_finished(self, candidate_id: int, trajectory: Trajectory, *, is_saved: bool) -> None:
        if candidate_id != self.records.candidate_id:
            return
        if not is_saved and not trajectory.steps:
            self.show_default()  # stopped before its first step
            return
        if not is_saved:
            self.records = replace(self.records, unsaved=trajectory)
        index = self.step_index
        self.show(trajectory)
        if index >= 0 and not self.is_hidden:
            self.replay(index)  # keep the plot where the agent looked last
        self._read(has_records=True)

    def _refresh(self, _: object = None) -> None:
        if self.is_hidden:
            self.records = Records(candidate_id=self.records.candidate_id)
            self.records_changed.emit(self.records)
            self.show(None)
        else:
            self._read()

    def close(self) -> None:
        self._is_closed = True

    def _on_candidate_changed(self, row: QueueRow | None) -> None:
        self.records = Records(candidate_id=0 if row is None else row.candidate.id)
        self._request += 1
        self._answered = self._request
        self.records_changed.emit(self.records)
        self.show(None)
        self._read()

    def _read(self, *, has_records: bool = False) -> None:
        row = self._current.row
        if row is None or self._is_closed or self.is_hidden:
            return
        # The queue row says whether there is a record, unless the session prefers one model.
        if not (has_records or row.candidate.agent_stopped_by or self._session.fact(SHOWN)):
            return
        self._request += 1
        work = partial(read_records, self._session, row.candidate.id)
        done = partial(self._on_records_read, self._request)
        self._runner.run_soon(work, done, partial(self._on_failed, self._request), owner=self)

    def _on_failed(self, request: int, error: WorkbenchError) -> None:
        self._answered = max(self._answered, request)
        self._current.report_error(error)

    def _on_records_read(self, request: int, records: Records) -> None:
        if request != self._request or self.is_hidden or self._is_closed:
            return
        self._answered = request
        self.records = records = replace(records, unsaved=self.records.unsaved)
        self.records_changed.emit(records)
        if self.run is None and self.trajectory not in records.trajectories:
            self.show_default()

    def _on_session_changed(self, change: Change) -> None:
        # Changes that no queue row shows: a new calibration, another preferred model.
        if change.aspect == "calibration":
            self._read()
        elif change.aspect == "inspection" and not change.candidate_ids and self.run is None:
            self.trajectory = None  # the preferred model replaces a record chosen by hand
            self._read(has_records=True)


# State of one waiting or running inspection, as the window shows it.
@dataclass(eq=False, kw_only=True)
class RunningState:
    """The inspection of one candidate. Use it on the GUI thread only."""

    candidate_id: int
    object_id: str
    z: float | None  # Redshift that moved the pictures to the rest frame; None: they are observed.
    model: ModelRef  # The requested model; once started, the loaded one.
    so_far: Trajectory | None = None
    inspection: RunningInspection | None = None  # None until the request goes to the worker
    steps: list[Step] = field(default_factory=list)
    partial_text: str = ""  # text of the unfinished turn
    is_started: bool = False
    is_paused: bool = False
    is_stopping: bool = False
    look_s: float = 0.0  # seconds that a person has for each look
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
        before = self.partial_text
        self.partial_text = "" if text == RESTARTED else (before + text)[-MAX_PARTIAL_TEXT:]

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
