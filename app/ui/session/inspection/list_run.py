"""Runs the agent over the list, or some of it, in the background; it can be stopped and resumed."""

import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal

from agent.errors import WorkbenchError
from agent.trajectory.trajectory import ModelRef
from app.core.inspections.batch import BatchResult, inspect_all
from app.core.inspections.store import as_recorded, count_pending, pending_among
from app.core.session.session import Session
from app.worker.errors import LoadCrash, WorkerClosed
from app.worker.pool import WorkerPool
from app.worker.request import LoadRequest

RATE_OVER = 50  # number of latest candidates from which the rate is computed


@dataclass(frozen=True, kw_only=True)
class ListRunState:
    """Progress of a list run; `left` and `rate` are None while unknown."""

    is_running: bool = False
    is_stopping: bool = False
    is_of_selected: bool = False  # whether only selected candidates are inspected
    model: str = ""  # empty while it is being loaded
    done: int = 0
    faults: int = 0
    """How many of `done` have no record: the file was unreadable or the worker crashed."""
    left: int | None = None
    rate: float | None = None  # candidates per second
    fault: str = ""  # why it ended early


class ListRun(QObject):
    """Runs one pass over a session at a time; a thread of its own waits for the workers."""

    changed = Signal(object)  # a `ListRunState`

    _progressed = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = ListRunState()
        self._session = session
        self._pool: WorkerPool | None = None
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._progressed.connect(self._on_progress, Qt.ConnectionType.QueuedConnection)

    def start(
        self, load: LoadRequest, workers: int, command: Sequence[str], only: Sequence[int] | None
    ) -> None:
        """Inspect what the model has not inspected yet; `only` among these ids."""
        if self.state.is_running:
            return
        self.close()
        pool = WorkerPool(workers, load, command=command)
        self._pool = pool
        self._stopping = threading.Event()
        self._set(ListRunState(is_running=True, is_of_selected=only is not None))
        work = partial(self._work, pool, self._stopping, only)
        self._thread = threading.Thread(target=work, name="list run", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Abandon the running inspections; return at once."""
        pool = self._pool
        if pool is None or not self.state.is_running or self.state.is_stopping:
            return
        self._stopping.set()
        self._set(replace(self.state, is_stopping=True))
        # Workers take a moment to exit; the GUI thread must not wait for them.
        threading.Thread(target=pool.close, name="stop list run", daemon=True).start()

    def close(self) -> None:
        """Stop and wait until the workers have exited."""
        pool, thread, self._pool, self._thread = self._pool, self._thread, None, None
        self._stopping.set()
        if pool is not None:
            pool.close()
        if thread is not None:
            thread.join()

    def _work(
        self, pool: WorkerPool, stopping: threading.Event, only: Sequence[int] | None
    ) -> None:
        """In a thread of its own."""
        state = self.state
        try:
            model = as_recorded(self._session, _load_model(pool))
            pending = None
            if only is None:
                left = count_pending(self._session, model)
            else:
                numbers = pending_among(self._session, model, only)
                left, pending = len(numbers), self._session.candidates(numbers)
            state = replace(state, model=model.name, left=left)
            self._progressed.emit(state)
            ends: deque[float] = deque([time.monotonic()], maxlen=RATE_OVER)
            outcomes = inspect_all(self._session, pool, model, only=pending)
            with closing(outcomes):
                for result in outcomes:
                    if stopping.is_set():
                        break  # this candidate was not inspected; the next run takes it
                    ends.append(time.monotonic())
                    state = _counted(state, result, ends)
                    self._progressed.emit(state)
        except WorkerClosed:
            pass
        except WorkbenchError as error:
            state = replace(state, fault=str(error))
        finally:
            pool.close()
            self._progressed.emit(replace(state, is_running=False))

    def _on_progress(self, state: ListRunState) -> None:
        if self._thread is None:
            return  # closed in the meantime
        self._set(replace(state, is_stopping=self.state.is_stopping and state.is_running))

    def _set(self, state: ListRunState) -> None:
        self.state = state
        self.changed.emit(state)


def _load_model(pool: WorkerPool) -> ModelRef:
    # A worker that crashes while loading often succeeds on the second try.
    try:
        return pool.ready()
    except LoadCrash:
        return pool.ready()


def _counted(state: ListRunState, result: BatchResult, ends: deque[float]) -> ListRunState:
    took = ends[-1] - ends[0]
    return replace(
        state,
        done=state.done + 1,
        faults=state.faults + bool(result.fault),
        left=None if state.left is None else max(state.left - 1, 0),
        rate=(len(ends) - 1) / took if took > 0 else None,
    )
