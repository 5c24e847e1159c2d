"""The worker process for single inspections and the model it loads."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal

from agent.errors import WorkbenchError
from agent.inspection.built_in import MEASURED
from agent.trajectory.trajectory import ModelRef
from app.core.inspections.batch import worker_task
from app.core.session.session import Session
from app.ui.base.background.runner import Failed, Runner
from app.worker.errors import WorkerClosed
from app.worker.inspection import OnEvent, RunningInspection
from app.worker.request import InspectRequest, LoadRequest
from app.worker.supervisor import WorkerClient


class TaskArgument(QObject):
    """The task as the worker expects it: a name, or the path of a temporary file."""

    def __init__(self, session: Session, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = session, runner
        self._value: str | None = None
        self._file = ExitStack()

    def get(self, done: Callable[[str], None], failed: Failed) -> None:
        """Call `done` with the task; later the first time, as a file may have to be written."""
        if self._value is not None:
            done(self._value)
            return

        def found(value: str) -> None:
            self._value = value
            done(value)

        work = partial(self._file.enter_context, worker_task(self._session))
        self._runner.run(work, found, failed, owner=self)

    def close(self) -> None:
        self._file.close()


class WorkerModel(QObject):
    """Starts the process when it is first needed. Use it on the GUI thread only."""

    changed = Signal()
    failed = Signal(object)  # A WorkbenchError: the requested model cannot be loaded.

    _load_ended = Signal(str, str, object)

    def __init__(
        self, requested: str, command: Sequence[str], parent: QObject, *, default: str, device: str
    ) -> None:
        super().__init__(parent)
        self.requested = requested  # Name, path or address; empty: `default`.
        self.device, self.default = device, default
        self.model: ModelRef | None = None  # The loaded model; None until it is loaded.
        self.is_loading = False
        self.fault = ""
        self._command = command
        self._client: WorkerClient | None = None
        self._load_ended.connect(self._on_load_ended, Qt.ConnectionType.QueuedConnection)

    @property
    def name(self) -> str:
        return self.requested or self.default

    @property
    def pid(self) -> int | None:
        """Process id of the worker; None if none runs."""
        return None if self._client is None else self._client.pid

    def inspect(self, request: InspectRequest, on_event: OnEvent) -> RunningInspection:
        return self._worker().inspect(request, on_event)

    def load_request(self) -> LoadRequest:
        return LoadRequest(None if self.name == MEASURED else self.name, device=self.device)

    def load(self, requested: str, device: str = "auto") -> None:
        """Replace the model now, so that the person sees at once if it cannot be loaded."""
        if (requested, device) == (self.requested, self.device):
            return
        self.requested, self.device = requested, device
        self.model, self.fault, self.is_loading = None, "", True
        promise = self._worker().load(self.load_request())

        def ended(done: Future[ModelRef]) -> None:
            self._load_ended.emit(requested, device, done.exception() or done.result())

        promise.add_done_callback(ended)
        self.changed.emit()

    def set_loaded(self, model: ModelRef) -> None:
        """Note the model with which an inspection started."""
        if model != self.model:
            self.model, self.fault, self.is_loading = model, "", False
            self.changed.emit()

    def unload(self) -> None:
        """Free the model's memory until it is needed again."""
        if self._client is not None:
            self._client.unload()

    def stop(self) -> None:
        if self._client is not None:
            self._client.stop()

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _worker(self) -> WorkerClient:
        if self._client is None:
            self._client = WorkerClient(self._command)
            self._client.select(self.load_request())
        return self._client

    def _on_load_ended(self, requested: str, device: str, answer: object) -> None:
        is_latest = (requested, device) == (self.requested, self.device)
        if not is_latest or self._client is None:
            return
        self.is_loading = False
        if isinstance(answer, ModelRef):
            self.model, self.fault = answer, ""
        elif isinstance(answer, WorkbenchError) and not isinstance(answer, WorkerClosed):
            self.fault = str(answer)
            self.failed.emit(answer)
        self.changed.emit()
