"""Starts, steers and stores the agent's inspections of the candidates in the window."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from functools import partial
from itertools import count
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from agent.engines.base import RESTARTED
from agent.errors import WorkbenchError
from agent.inspection.control import Interjection
from agent.inspection.inspector_factory import default_model
from agent.spectra.spectrum import Spectrum, Window, frame_z
from agent.tasks.look import has_class
from agent.trajectory.trajectory import ModelRef, Trajectory
from app.ui.base.background.runner import Runner
from app.ui.base.settings.settings import Settings
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.translation.message_texts import translate_message
from app.ui.session.candidate.current import CurrentCandidate
from app.ui.session.inspection.list_run import ListRun, ListRunState
from app.ui.session.inspection.records import save_record
from app.ui.session.inspection.shown_trajectory import RunningState, ShownTrajectory, initial_steps
from app.ui.session.inspection.worker_model import TaskArgument, WorkerModel
from app.ui.session.session_bridge import SessionBridge
from app.worker.errors import InspectionCancelled, WorkerClosed
from app.worker.inspection import Event, Failed, Finished, Started, StepDone, TextGenerated
from app.worker.request import InspectRequest
from app.worker.supervisor import worker_command

MAX_RUNS = 20
WATCH_LOOK_S = 1.5  # time for each look while a person watches
SAVE_TIMEOUT_S = 10.0
"""How long closing waits for records to be saved; on a slower disk the last ones are lost."""

# A fast model emits a thousand tokens per second; repainting for each would block the window.
INTERVAL_MS = 25
MAX_TEXT = 50_000  # Characters of one merged text event; only the end of a longer one is kept.


class InspectionController(QObject):
    """Runs inspections in the worker process. Close it before the session.

    Use it on the GUI thread only. `command` starts the worker process; tests replace it.
    """

    started = Signal(int, object)  # candidate id and the `ModelRef` that inspects it
    text_received = Signal(int, str)  # candidate id and the next piece of the agent's text
    step_ready = Signal(int, object)  # candidate id and a `Step`
    finished = Signal(int, object)  # candidate id and the `Trajectory`, which is already saved
    failed = Signal(int, str)  # candidate id and why there is no trajectory
    state_changed = Signal()  # a run, the list of runs or the model changed
    closed = Signal()  # no more work may be given to the runner

    def __init__(
        self,
        bridge: SessionBridge,
        current: CurrentCandidate,
        runner: Runner,
        settings: SettingsStore,
        parent: QObject | None = None,
        *,
        command: Sequence[str] | None = None,
    ) -> None:
        super().__init__(parent)
        command = worker_command(gives_way=True) if command is None else command
        self.runs: dict[int, RunningState] = {}
        """Waiting and running inspections by candidate id, oldest first."""
        default = default_model(bridge.session.task.id)
        model, device = settings.settings.model, settings.settings.device
        self.worker_model = WorkerModel(model, command, self, default=default, device=device)
        self._session, self._current = bridge.session, current
        self._runner, self._settings, self._command = runner, settings, command
        self._task = TaskArgument(bridge.session, runner, self)
        self._numbers = count(1)
        self._runs_by_number: dict[int, RunningState] = {}
        self._saving: set[Future[Any]] = set()
        self._is_closed = False
        self.shown = ShownTrajectory(bridge, current, runner, self.runs, self)
        self.list_run = ListRun(bridge.session, self)
        self._events = EventQueue(self)
        self._events.received.connect(self._on_event)
        self.list_run.changed.connect(self._on_list_run_changed)
        self.worker_model.changed.connect(self.state_changed)
        self.worker_model.failed.connect(current.report_error)
        for signal in (current.candidate_changed, current.row_changed, current.blind_mode.changed):
            signal.connect(self._on_row_changed)
        settings.changed.connect(self._on_settings_changed)

    @property
    def active_run(self) -> RunningState | None:
        """The run that keys and buttons control: the current candidate's, else the oldest one."""
        return self.shown.run or next(iter(self.runs.values()), None)

    @property
    def has_question(self) -> bool:
        """Whether there is a class that the agent can be asked about."""
        return has_class(self._session.task)

    @property
    def is_paused(self) -> bool:
        run = self.active_run
        return run is not None and run.is_paused

    def run_here(self) -> None:
        self._start(None)

    def continue_from(self, trajectory: Trajectory, turn: int) -> None:
        """Rerun from the state before this turn, paused so that the person can add something."""
        self._start(trajectory.until(turn))

    def stop(self, *, anywhere: bool = False) -> bool:
        """Stop the run and save what it has so far; return False if there is no run to stop."""
        run = self.active_run if anywhere else self.shown.run
        if run is None:
            return False
        run.cancel()
        self.state_changed.emit()
        return True

    def resume(self) -> None:
        self._set_paused(False)

    def toggle_pause(self) -> None:
        """Make the active run wait before its next turn, or go on."""
        if self.active_run is None:
            self._current.message.emit(self.tr("The agent is not running"))
        else:
            self._set_paused(not self.is_paused)

    def insert(self, text: str = "", window: Window | None = None, label: str = "") -> bool:
        """Give the agent a remark or a window (observed angstrom) before its next turn."""
        run = self.shown.run
        if run is None:
            self._current.message.emit(self.tr("The agent is not running on this candidate"))
            return False
        if window is not None:
            shift = 1.0 + (run.z or 0.0)
            window = round(window[0] / shift, 2), round(window[1] / shift, 2)
        try:
            run.insert(Interjection(text=text, range=window, label=label))
        except WorkbenchError as error:
            self._current.report_error(error)
            return False
        return True

    def replay_next_look(self) -> None:
        """Show the window of the agent's next look, or say why there is none to show."""
        if self.shown.replay_next_look():
            return
        if self.shown.is_hidden:
            self._current.message.emit(self.tr("The agent's looks are hidden until you judge"))
        else:
            self._current.message.emit(self.tr("The agent has not looked at this candidate yet"))

    @property
    def is_on_list(self) -> bool:
        """Whether it is inspecting the list, and nobody has stopped it."""
        return self.list_run.state.is_running and not self.list_run.state.is_stopping

    def toggle_list_run(self) -> None:
        """Inspect all candidates this model has not inspected yet, or stop doing so."""
        if self.list_run.state.is_running:
            self.list_run.stop()
        else:
            self._start_list_run(None)

    def inspect_selected(self, candidate_ids: Sequence[int]) -> None:
        """Inspect those of these candidates this model has not inspected yet."""
        if self.list_run.state.is_running:
            self._current.message.emit(self.tr("The agent is already running on the list"))
        else:
            self._start_list_run(candidate_ids)

    def _start_list_run(self, only: Sequence[int] | None) -> None:
        if not self.has_question:
            self._current.message.emit(self.tr("There is no class to judge: the agent is off"))
        elif self._session.is_read_only:
            text = self.tr("This session is read-only: results cannot be saved")
            self._current.message.emit(text)
        else:
            if not self.runs:
                self.worker_model.unload()  # a large model fits into memory only once
            workers = self._settings.settings.workers
            self.list_run.start(self.worker_model.load_request(), workers, self._command, only)

    @property
    def is_watched(self) -> bool:
        """Whether each look of the shown run leaves a person time to follow."""
        return self._settings.settings.watch

    def set_watched(self, on: bool) -> None:
        self._settings.change(watch=on)

    def choose_model(self, model: str) -> None:
        """Use this model (a name, a path or an address) from now on."""
        self._settings.change(model="" if model == self.worker_model.default else model)

    def close(self) -> None:
        """Stop all runs, save what they have, and wait until the workers have exited."""
        self._is_closed = True
        self.shown.close()
        self.closed.emit()
        # Ask both to stop before waiting for either.
        self.list_run.stop()
        self.worker_model.stop()
        self.list_run.close()
        self.worker_model.close()
        self._events.deliver()
        wait(set(self._saving), timeout=SAVE_TIMEOUT_S)
        self._task.close()

    def _start(self, so_far: Trajectory | None) -> None:
        candidate, spectrum = self._current.candidate, self._current.spectrum
        if candidate is None or self._is_closed:
            return
        if not self.has_question:
            self._current.message.emit(self.tr("There is no class to judge: the agent is off"))
        elif spectrum is None:
            why = translate_message(self._current.fault) or self.tr("the spectrum is still loading")
            self._current.message.emit(self.tr("The agent cannot run: {why}").replace("{why}", why))
        elif candidate.id in self.runs:
            self._current.message.emit(self.tr("The agent is already running on this candidate"))
        elif len(self.runs) >= MAX_RUNS:
            text = self.tr("Too many candidates are waiting for the agent already")
            self._current.message.emit(text)
        else:
            run = RunningState(
                candidate_id=candidate.id,
                object_id=candidate.object_id,
                z=frame_z(spectrum) if so_far is None else so_far.spectrum.z,
                model=self.worker_model.model or ModelRef(name=self.worker_model.name),
                so_far=so_far,
                steps=initial_steps(so_far),
                is_paused=so_far is not None,
            )
            self.shown.show(None)
            self.runs[candidate.id] = run
            self._set_paces()
            self.state_changed.emit()
            self._task.get(partial(self._inspect, run, spectrum), partial(self._on_failed, run))

    def _inspect(self, run: RunningState, spectrum: Spectrum, task: str) -> None:
        if self._is_closed or self.runs.get(run.candidate_id) is not run:
            return
        if run.is_stopping:
            self._on_failed(run, InspectionCancelled("cancelled before it began"))
            return
        number = next(self._numbers)
        self._runs_by_number[number] = run
        request = InspectRequest(task=task, spectrum=spectrum, so_far=run.so_far)
        run.attach(self.worker_model.inspect(request, self._events.listener(number)))
        self.state_changed.emit()

    def _set_paused(self, paused: bool) -> None:
        run = self.active_run
        if run is None or run.is_paused == paused:
            return
        run.set_paused(paused)
        self.state_changed.emit()

    def _on_event(self, number: int, event: Event) -> None:
        run = self._runs_by_number[number]
        if isinstance(event, Finished | Failed):
            del self._runs_by_number[number]
        if isinstance(event, Finished):
            work = partial(save_record, self._session, run.candidate_id, event.trajectory)
            done = partial(self._on_saved, run, event.trajectory)
            failed = partial(self._on_save_failed, run, event.trajectory)
            saved = self._runner.run(work, done, failed, owner=self)
            self._saving.add(saved)
            saved.add_done_callback(self._saving.discard)
        elif self._is_closed:
            return
        elif isinstance(event, Failed):
            self._on_failed(run, event.error)
        else:
            self._on_progress(run, event)

    def _on_progress(self, run: RunningState, event: Started | TextGenerated | StepDone) -> None:
        if isinstance(event, Started):
            run.is_started, run.model = True, event.model
            self.worker_model.set_loaded(event.model)
            self.started.emit(run.candidate_id, event.model)
            self.state_changed.emit()
            return
        is_seen = run is self.shown.run and not self.shown.is_hidden
        if is_seen:
            self._current.blind_mode.note_watched(run.candidate_id, run.model.name)
        if isinstance(event, TextGenerated):
            run.add_text(event.text)
            self.text_received.emit(run.candidate_id, event.text)
        else:
            run.add_step(event.step)
            self.step_ready.emit(run.candidate_id, event.step)
            if is_seen and event.step.is_look:
                self.shown.replay(len(run.steps) - 1)

    def _on_saved(self, run: RunningState, trajectory: Trajectory, is_saved: bool) -> None:
        if self._is_closed:
            return
        self.runs.pop(run.candidate_id, None)
        self.shown.show_finished(run.candidate_id, trajectory, is_saved=is_saved)
        self.state_changed.emit()
        self.finished.emit(run.candidate_id, trajectory)

    def _on_save_failed(
        self, run: RunningState, trajectory: Trajectory, error: WorkbenchError
    ) -> None:
        self._current.report_error(error)
        self._on_saved(run, trajectory, is_saved=False)

    def _on_failed(self, run: RunningState, error: Exception) -> None:
        if not isinstance(error, WorkerClosed | InspectionCancelled):
            told = error if isinstance(error, WorkbenchError) else WorkbenchError(str(error))
            self._current.report_error(told)
        self.runs.pop(run.candidate_id, None)
        if run.candidate_id == self.shown.records.candidate_id:
            self.shown.show_default()
        self.state_changed.emit()
        self.failed.emit(run.candidate_id, str(error) or type(error).__name__)

    def _set_paces(self) -> None:
        """Slow down what a person follows; what nobody sees goes as fast as it can."""
        is_watching = self._settings.settings.watch and not self.shown.is_hidden
        for run in self.runs.values():
            run.set_pace(WATCH_LOOK_S if is_watching and run is self.shown.run else 0.0)

    def _on_row_changed(self, _: object) -> None:
        self._set_paces()
        run = self.shown.run
        if run is not None and run.steps and not self.shown.is_hidden:
            self._current.blind_mode.note_watched(run.candidate_id, run.model.name)
        self.state_changed.emit()

    def _on_list_run_changed(self, state: ListRunState) -> None:
        if state.fault:
            self._current.report_error(WorkbenchError(state.fault))
        elif state.is_of_selected and not state.is_running and state.done == state.left == 0:
            text = self.tr("Nothing to do: this model has inspected all that can be read of these")
            self._current.message.emit(text)

    def _on_settings_changed(self, settings: Settings) -> None:
        if not self._is_closed:  # nobody would end the process that it starts
            self.worker_model.load(settings.model, settings.device)
        self._set_paces()
        self.state_changed.emit()


class EventQueue(QObject):
    """Listeners may be called on any thread; `received` is emitted in order on the GUI thread."""

    received = Signal(int, object)  # the listener's number and an `Event`

    _event_added = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._events: list[tuple[int, Event]] = []
        self._timer = QTimer(self, interval=INTERVAL_MS, singleShot=True)
        self._timer.timeout.connect(self.deliver)
        self._event_added.connect(self._timer.start, Qt.ConnectionType.QueuedConnection)

    def listener(self, number: int) -> Callable[[Event], None]:
        def add(event: Event) -> None:
            with self._lock:
                is_first = not self._events
                self._add(number, event)
            if is_first:
                self._event_added.emit()

        return add

    def deliver(self) -> None:
        """Emit all waiting events now."""
        with self._lock:
            events, self._events = self._events, []
        for number, event in events:
            self.received.emit(number, event)

    def _add(self, number: int, event: Event) -> None:
        # Consecutive texts become one event; RESTARTED stays separate as it voids earlier text.
        if isinstance(event, TextGenerated) and event.text != RESTARTED and self._events:
            before, last = self._events[-1]
            if before == number and isinstance(last, TextGenerated) and last.text != RESTARTED:
                self._events[-1] = number, TextGenerated((last.text + event.text)[-MAX_TEXT:])
                return
        self._events.append((number, event))
