"""The worker process that inspects one by one, and the model it is to hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal

from agent.errors import WorkbenchError
from agent.inspection.make_inspector import MEASURED
from agent.trajectory.trajectory import ModelRef
from app.core.inspections.batch import task_argument
from app.core.session.session import Session
from app.ui.background.runner import Failed, Runner
from app.worker.client import WorkerClient
from app.worker.errors import WorkerClosed
from app.worker.inspection import OnEvent, RunningInspection
from app.worker.request import InspectRequest, LoadRequest


class TaskName(QObject):
    def __init__(self, session: Session, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = session, runner
        self._name: str | None = None
        self._file = ExitStack()

    def then(self, use: Callable[[str], None], failed: Failed) -> None:
        """At once, but for the first time."""
        if self._name is not None:
            use(self._name)
            return

        def named(name: str) -> None:
            self._name = name
            use(name)

        work = partial(self._file.enter_context, task_argument(self._session))
        self._runner.run(work, named, failed, owner=self)

    def close(self) -> None:
        """The file goes."""
        self._file.close()


class WorkerModel(QObject):
    """The process is made for the first inspection. For the window's thread."""

    changed = Signal()
    failed = Signal(object)
    """A WorkbenchError: the chosen model cannot be had."""

    _answered = Signal(str, object)

    def __init__(
        self,
        wanted: str,
        command: Sequence[str] | None = None,
        parent: QObject | None = None,
        *,
        default: str = MEASURED,
    ) -> None:
        super().__init__(parent)
        self.wanted = wanted
        """Name, path or address; empty: `default`."""
        self.default = default
        self.model: ModelRef | None = None
        """As it was loaded; None: not yet."""
        self.is_loading = False
        self.fault = ""
        self._command = command
        self._client: WorkerClient | None = None
        self._answered.connect(self._take, Qt.ConnectionType.QueuedConnection)

    @property
    def name(self) -> str:
        return self.wanted or self.default

    @property
    def pid(self) -> int | None:
        """Of the worker, where one runs."""
        return None if self._client is None else self._client.pid

    def inspect(self, request: InspectRequest, on_event: OnEvent) -> RunningInspection:
        return self._worker().inspect(request, on_event)

    def load_request(self) -> LoadRequest:
        return LoadRequest(None if self.name == MEASURED else self.name)

    def want(self, wanted: str) -> None:
        """Let go of the one that is held and load another, so that a fault shows at once."""
        if wanted == self.wanted:
            return
        self.wanted, self.model, self.fault, self.is_loading = wanted, None, "", True
        promise = self._worker().load(self.load_request())

        def answered(done: Future[ModelRef]) -> None:
            self._answered.emit(wanted, done.exception() or done.result())

        promise.add_done_callback(answered)
        self.changed.emit()

    def loaded(self, model: ModelRef) -> None:
        """An inspection has begun with it."""
        if model != self.model:
            self.model, self.fault, self.is_loading = model, "", False
            self.changed.emit()

    def unload(self) -> None:
        """Give its memory back until it is needed again."""
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
            self._client.want(self.load_request())
        return self._client

    def _take(self, wanted: str, answer: object) -> None:
        if wanted != self.wanted or self._client is None:
            return
        self.is_loading = False
        if isinstance(answer, ModelRef):
            self.model, self.fault = answer, ""
        elif isinstance(answer, WorkbenchError) and not isinstance(answer, WorkerClosed):
            self.fault = str(answer)
            self.failed.emit(answer)
        self.changed.emit()
