"""What of the agent's work is on screen for the candidate on the desk, and where it looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from agent.trajectory.trajectory import Step, Trajectory
from app.core.inspections.shown_opinion import SHOWN
from app.core.queue import QueueRow
from app.core.session.records import Change
from app.ui.background.runner import Runner
from app.ui.candidate.current import CurrentCandidate
from app.ui.candidate.view_options import Range
from app.ui.inspection.records import Records, read_records
from app.ui.inspection.running import RunningState
from app.ui.session_bridge import SessionBridge


class ShownTrajectory(QObject):
    """What happens now goes before what was; blind mode hides either."""

    looking = Signal(object, str)
    """An observed range and its label; None: nowhere."""
    shown_changed = Signal(object)
    """A `Trajectory`, or None."""
    replayed = Signal(int)
    """The step at which the plot looks; -1: at none."""
    records_changed = Signal(object)
    """`Records` of the candidate on the desk, those that may be seen."""

    def __init__(
        self,
        bridge: SessionBridge,
        current: CurrentCandidate,
        runner: Runner,
        runs: Mapping[int, RunningState],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.shown: Trajectory | None = None
        self.at = -1
        self.records = Records(candidate_id=0)
        self._session, self._current, self._runner, self._runs = (
            bridge.session,
            current,
            runner,
            runs,
        )
        self._asked = 0
        self._is_closed = False
        current.moved.connect(self._moved)
        current.row_changed.connect(self.look_again)
        current.blind_mode.changed.connect(self.look_again)
        bridge.changed.connect(self._take_note)

    @property
    def is_hidden(self) -> bool:
        line = self._current.line
        return line is not None and self._current.blind_mode.hides(line)

    @property
    def run(self) -> RunningState | None:
        candidate = self._current.candidate
        return None if candidate is None else self._runs.get(candidate.id)

    @property
    def steps(self) -> tuple[Step, ...]:
        if self.is_hidden:
            return ()
        if self.run is not None:
            return tuple(self.run.steps)
        return () if self.shown is None else self.shown.steps

    def observed(self, step: Step) -> Range | None:
        """The window of a step on screen, where it is observed."""
        if step.range is None:
            return None
        run = self.run
        z = run.z if run is not None else self.shown.spectrum.z if self.shown else None
        shift = 1.0 + (z or 0.0)
        return step.range[0] * shift, step.range[1] * shift

    def show(self, trajectory: Trajectory | None) -> None:
        """Another record of this candidate, or none."""
        if trajectory is not None and (self.is_hidden or self.run is not None):
            return
        was_looking, self.at, self.shown = self.at >= 0, -1, trajectory
        self.shown_changed.emit(trajectory)
        self.replayed.emit(-1)
        if was_looking:
            self.looking.emit(None, "")

    def show_first(self) -> None:
        self.show(None if self.is_hidden else self.records.first)

    def replay(self, place: int) -> None:
        """Look where that step looked."""
        steps = self.steps
        if not 0 <= place < len(steps):
            return
        self.at = place
        self.replayed.emit(place)
        if steps[place].is_look:
            self.looking.emit(self.observed(steps[place]), steps[place].label)

    def step_through(self) -> bool:
        """To the next look; behind the last the first follows. False: there is none."""
        looks = [place for place, step in enumerate(self.steps) if step.is_look]
        if looks:
            self.replay(next((place for place in looks if place > self.at), looks[0]))
        return bool(looks)

    def just_ended(self, candidate_id: int, trajectory: Trajectory, *, is_kept: bool) -> None:
        if candidate_id != self.records.candidate_id:
            return
        if not is_kept and not trajectory.steps:
            self.show_first()  # stopped before anything came of it
            return
        if not is_kept:
            self.records = replace(self.records, unkept=trajectory)
        at = self.at
        self.show(trajectory)
        if at >= 0 and not self.is_hidden:
            self.replay(at)  # the plot stays where the agent looked last
        self._read(is_there=True)

    def look_again(self, changed: object = None) -> None:
        """It was judged, revealed, or inspected by somebody."""
        if self.is_hidden:
            self.records = Records(candidate_id=self.records.candidate_id)
            self.records_changed.emit(self.records)
            self.show(None)
        else:
            self._read()

    def close(self) -> None:
        self._is_closed = True

    def _moved(self, line: QueueRow | None) -> None:
        self.records = Records(candidate_id=0 if line is None else line.candidate.id)
        self._asked += 1
        self.records_changed.emit(self.records)
        self.show(None)
        self._read()

    def _read(self, *, is_there: bool = False) -> None:
        line = self._current.line
        if line is None or self._is_closed or self.is_hidden:
            return
        # Without a chosen model the line itself tells whether there is any record.
        if not (is_there or line.candidate.agent_stopped_by or self._session.fact(SHOWN)):
            return
        self._asked += 1
        self._runner.run_soon(
            partial(read_records, self._session, line.candidate.id),
            partial(self._take, self._asked),
            self._current.tell,
            owner=self,
        )

    def _take(self, asked: int, records: Records) -> None:
        if asked != self._asked or self.is_hidden or self._is_closed:
            return
        self.records = records = replace(records, unkept=self.records.unkept)
        self.records_changed.emit(records)
        if self.run is None and self.shown not in records.trajectories:
            self.show_first()

    def _take_note(self, change: Change) -> None:
        """Of what lines do not tell: a calibration was fitted, another model is shown."""
        if change.aspect == "calibration":
            self._read()
        elif change.aspect == "inspection" and not change.candidate_ids and self.run is None:
            self.shown = None  # the session's choice goes before this person's for one object
            self._read(is_there=True)
