"""The agent at work, as the window sees it: what it does, on which candidate, how to steer it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, wait
from functools import partial
from itertools import count
from typing import Any

from PySide6.QtCore import QObject, Signal

from agent.errors import WorkbenchError
from agent.inspection.control import Interjection
from agent.inspection.make_inspector import default_model
from agent.spectra.rest_frame import frame_z
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import ModelRef, Step, Trajectory
from app.ui.background.runner import Runner
from app.ui.candidate.current import CurrentCandidate
from app.ui.candidate.view_options import Range
from app.ui.inspection.event_queue import EventQueue
from app.ui.inspection.list_run import ListRun, ListRunState
from app.ui.inspection.records import Records, keep
from app.ui.inspection.running import RunningState, steps_before
from app.ui.inspection.shown_record import ShownTrajectory
from app.ui.inspection.worker_model import TaskName, WorkerModel
from app.ui.session_bridge import SessionBridge
from app.ui.settings.settings import Settings
from app.ui.settings.settings_keeper import SettingsKeeper
from app.worker.errors import InspectionCancelled, WorkerClosed
from app.worker.inspection import Event, Failed, Finished, Spoken, Started, Stepped
from app.worker.request import InspectRequest

MOST_WAITING = 20
KEEP_S = 10.0
"""How long the session is waited for at the end; a disk that takes longer is lost."""


class InspectionController(QObject):
    """Runs inspections in the worker process. Close it before the session.

    For the window's thread alone. `command` is what to run as a worker, for tests.
    """

    started = Signal(int, object)
    """An inspection of that candidate has begun: its number, and the `ModelRef`."""
    spoke = Signal(int, str)
    """A piece of what the agent says, as it comes."""
    stepped = Signal(int, object)
    """A `Step` that happened."""
    ended = Signal(int, object)
    """The `Trajectory`, which is kept by then."""
    broke = Signal(int, str)
    """Why there is none."""
    looking = Signal(object, str)
    """Where the agent looks on the candidate on the desk, live or replayed: an observed range and
    its label; None: nowhere."""
    shown_changed = Signal(object)
    """The `Trajectory` whose evidence is on screen, or None: hidden in blind mode, or there is
    none."""
    replayed = Signal(int)
    """The step of `steps` at which the plot looks; -1: at none."""
    records_changed = Signal(object)
    """`Records` of the candidate on the desk, those that may be seen."""
    state_changed = Signal()
    """Of `run`, `runs`, the model."""
    batch_changed = Signal(object)
    """A `ListRunState`."""
    closed = Signal()
    """Nothing more may be asked of the runner."""

    def __init__(
        self,
        bridge: SessionBridge,
        current: CurrentCandidate,
        runner: Runner,
        settings: SettingsKeeper,
        parent: QObject | None = None,
        *,
        command: Sequence[str] | None = None,
    ) -> None:
        super().__init__(parent)
        self.runs: dict[int, RunningState] = {}
        """Those that wait or run, by candidate, in their order."""
        default = default_model(bridge.session.task.id)
        self.holder = WorkerModel(settings.settings.model, command, self, default=default)
        self._session, self._current = bridge.session, current
        self._runner, self._settings, self._command = runner, settings, command
        self._task = TaskName(bridge.session, runner, self)
        self._numbers = count(1)
        self._heard_of: dict[int, RunningState] = {}
        self._keeping: set[Future[Any]] = set()
        self._is_closed = False
        self._evidence = ShownTrajectory(bridge, current, runner, self.runs, self)
        self._hearing = EventQueue(self)
        self._batch = ListRun(bridge.session, self)
        for name in ("looking", "shown_changed", "replayed", "records_changed"):
            getattr(self._evidence, name).connect(getattr(self, name))
        self._hearing.heard.connect(self._hear)
        self._batch.changed.connect(self._batch_changed)
        self.holder.changed.connect(self.state_changed)
        self.holder.failed.connect(current.tell)
        current.moved.connect(self._line_changed)
        current.row_changed.connect(self._line_changed)
        current.blind_mode.changed.connect(self._line_changed)
        settings.changed.connect(self._settings_changed)

    # What is going on

    @property
    def run(self) -> RunningState | None:
        """The one on the candidate on the desk."""
        return self._evidence.run

    @property
    def is_running(self) -> bool:
        """Anywhere."""
        return bool(self.runs)

    @property
    def is_held(self) -> bool:
        """What `hold_or_go_on` would let go on."""
        run = self.steered
        return run is not None and run.is_held

    @property
    def steered(self) -> RunningState | None:
        """The run that keys and buttons steer: that on the desk, else the one at work elsewhere."""
        return self.run or next(iter(self.runs.values()), None)

    @property
    def batch(self) -> ListRunState:
        return self._batch.state

    # Inspections

    def run_here(self) -> None:
        """Inspect the candidate on the desk."""
        self._start(None)

    def continue_from(self, trajectory: Trajectory, turn: int) -> None:
        """Go on from what had been said before the agent's turn of that number. It waits until
        `go_on`, so that something can be put in."""
        self._start(trajectory.until(turn))

    def stop(self, *, anywhere: bool = False) -> bool:
        """Between two words; what was said until then is kept. False: nothing ran here."""
        run = self.steered if anywhere else self.run
        if run is None:
            return False
        run.cancel()
        self.state_changed.emit()
        return True

    def hold(self) -> None:
        """Before its next turn, until `go_on`."""
        self._hold(True)

    def go_on(self) -> None:
        self._hold(False)

    def hold_or_go_on(self) -> None:
        if self.steered is None:
            self._current.said.emit(self.tr("The agent is not at work"))
        else:
            self._hold(not self.is_held)

    def insert(self, text: str = "", window: Range | None = None, label: str = "") -> bool:
        """Show the agent at work here a window, observed angstrom, or tell it a word, before its
        next turn."""
        run = self.run
        if run is None:
            self._current.said.emit(self.tr("The agent is not at work here"))
            return False
        if window is not None:
            shift = 1.0 + (run.z or 0.0)
            window = round(window[0] / shift, 2), round(window[1] / shift, 2)
        try:
            run.insert(Interjection(text=text, range=window, label=label))
        except WorkbenchError as error:
            self._current.tell(error)
            return False
        return True

    # Evidence

    @property
    def is_hidden(self) -> bool:
        """Whether blind mode keeps what agents say of the candidate on the desk from sight."""
        return self._evidence.is_hidden

    @property
    def shown(self) -> Trajectory | None:
        """The record on screen."""
        return self._evidence.shown

    @property
    def steps(self) -> tuple[Step, ...]:
        """On screen: of the run here, else of the record."""
        return self._evidence.steps

    @property
    def at(self) -> int:
        """The step of `steps` at which the plot looks; -1: at none."""
        return self._evidence.at

    @property
    def records(self) -> Records:
        return self._evidence.records

    def show(self, trajectory: Trajectory) -> None:
        """Another record of the candidate on the desk."""
        self._evidence.show(trajectory)

    def replay(self, place: int) -> None:
        """Look where that step of `steps` looked."""
        self._evidence.replay(place)

    def observed(self, step: Step) -> Range | None:
        """The window of a step of `steps` in the observed frame."""
        return self._evidence.observed(step)

    def step_through(self) -> None:
        """To the next look; behind the last the first follows."""
        if self._evidence.step_through():
            return
        if self.is_hidden:
            self._current.said.emit(self.tr("What the agent saw is hidden until you have judged"))
        else:
            self._current.said.emit(self.tr("The agent has looked at nothing here yet"))

    # Over the list

    def run_queue(self) -> None:
        """Over all that the model has not inspected yet; while it runs, stop."""
        if self.batch.is_running:
            self.stop_queue()
        elif self._session.is_read_only:
            self._current.said.emit(self.tr("This session can only be read: nothing can be kept"))
        else:
            if not self.runs:
                self.holder.unload()  # a large model fits into memory once
            workers = self._settings.settings.workers
            self._batch.start(self.holder.load_request(), workers, self._command)

    def stop_queue(self) -> None:
        """What is being inspected is left for the next time."""
        self._batch.stop()

    def choose(self, model: str) -> None:
        """Inspect with it from now on: name, path or address."""
        self._settings.change(model="" if model == self.holder.default else model)

    def close(self) -> None:
        """What runs is stopped; comes back when the workers are gone."""
        self._is_closed = True
        self._evidence.close()
        self.closed.emit()
        self._batch.stop()
        self.holder.stop()
        self._batch.close()
        self.holder.close()
        self._hearing.tell()
        wait(set(self._keeping), timeout=KEEP_S)
        self._task.close()

    # Starting

    def _start(self, so_far: Trajectory | None) -> None:
        candidate, spectrum = self._current.candidate, self._current.spectrum
        if candidate is None or self._is_closed:
            return
        if spectrum is None:
            why = self._current.fault or self.tr("the spectrum is still being read")
            self._current.said.emit(self.tr("The agent cannot look: {why}").replace("{why}", why))
        elif candidate.id in self.runs:
            self._current.said.emit(self.tr("The agent is at work here already"))
        elif len(self.runs) >= MOST_WAITING:
            self._current.said.emit(self.tr("Enough candidates wait for the agent already"))
        else:
            run = RunningState(
                candidate_id=candidate.id,
                object_id=candidate.object_id,
                z=frame_z(spectrum) if so_far is None else so_far.spectrum.z,
                model=self.holder.model or ModelRef(name=self.holder.name),
                so_far=so_far,
                steps=steps_before(so_far),
                is_held=so_far is not None,
            )
            self._evidence.show(None)
            self.runs[candidate.id] = run
            self.state_changed.emit()
            self._task.then(partial(self._inspect, run, spectrum), partial(self._failed, run))

    def _inspect(self, run: RunningState, spectrum: Spectrum, task: str) -> None:
        if self._is_closed or self.runs.get(run.candidate_id) is not run:
            return
        if run.is_stopping:
            self._failed(run, InspectionCancelled("cancelled before it began"))
            return
        number = next(self._numbers)
        self._heard_of[number] = run
        request = InspectRequest(task=task, spectrum=spectrum, so_far=run.so_far)
        run.begin(self.holder.inspect(request, self._hearing.ear(number)))
        self.state_changed.emit()

    def _hold(self, hold: bool) -> None:
        run = self.steered
        if run is None or run.is_held == hold:
            return
        run.hold(hold)
        self.state_changed.emit()

    # Hearing

    def _hear(self, number: int, event: Event) -> None:
        run = self._heard_of[number]
        if isinstance(event, Finished | Failed):
            del self._heard_of[number]
        if isinstance(event, Finished):
            self._finished(run, event.trajectory)
        elif self._is_closed:
            return
        elif isinstance(event, Failed):
            self._failed(run, event.error)
        else:
            self._follow(run, event)

    def _follow(self, run: RunningState, event: Started | Spoken | Stepped) -> None:
        if isinstance(event, Started):
            run.is_started, run.model = True, event.model
            self.holder.loaded(event.model)
            self.started.emit(run.candidate_id, event.model)
            self.state_changed.emit()
            return
        is_seen = run is self.run and not self.is_hidden
        if is_seen:
            self._current.blind_mode.watched(run.candidate_id, run.model.name)
        if isinstance(event, Spoken):
            run.take_words(event.text)
            self.spoke.emit(run.candidate_id, event.text)
        else:
            run.take_step(event.step)
            self.stepped.emit(run.candidate_id, event.step)
            if is_seen and event.step.is_look:
                self._evidence.replay(len(run.steps) - 1)

    def _finished(self, run: RunningState, trajectory: Trajectory) -> None:
        kept = self._runner.run(
            partial(keep, self._session, run.candidate_id, trajectory),
            partial(self._kept, run, trajectory),
            partial(self._not_kept, run, trajectory),
            owner=self,
        )
        self._keeping.add(kept)
        kept.add_done_callback(self._keeping.discard)

    def _kept(self, run: RunningState, trajectory: Trajectory, is_kept: bool) -> None:
        if self._is_closed:
            return
        self.runs.pop(run.candidate_id, None)
        self._evidence.just_ended(run.candidate_id, trajectory, is_kept=is_kept)
        self.state_changed.emit()
        self.ended.emit(run.candidate_id, trajectory)

    def _not_kept(self, run: RunningState, trajectory: Trajectory, error: WorkbenchError) -> None:
        self._current.tell(error)
        self._kept(run, trajectory, is_kept=False)

    def _failed(self, run: RunningState, error: Exception) -> None:
        if not isinstance(error, WorkerClosed | InspectionCancelled):
            told = error if isinstance(error, WorkbenchError) else WorkbenchError(str(error))
            self._current.tell(told)
        self.runs.pop(run.candidate_id, None)
        if run.candidate_id == self.records.candidate_id:
            self._evidence.show_first()
        self.state_changed.emit()
        self.broke.emit(run.candidate_id, str(error) or type(error).__name__)

    def _line_changed(self, line: object) -> None:
        run = self.run
        if run is not None and run.steps and not self.is_hidden:
            self._current.blind_mode.watched(run.candidate_id, run.model.name)
        self.state_changed.emit()

    def _batch_changed(self, state: ListRunState) -> None:
        if state.fault:
            self._current.tell(WorkbenchError(state.fault))
        self.batch_changed.emit(state)

    def _settings_changed(self, settings: Settings) -> None:
        self.holder.want(settings.model)
