"""The agent over the whole list, in the background: stop and begin again as you like."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import cast

from PySide6.QtCore import QObject, Qt, Signal

from agent.errors import WorkbenchError
from agent.trajectory.trajectory import ModelRef
from app.core.inspections.batch import Vetted, vet
from app.core.inspections.store import count_to_do
from app.core.session.session import Session
from app.worker.errors import LoadCrash, WorkerClosed
from app.worker.pool import WorkerPool
from app.worker.request import LoadRequest

RATE_OVER = 50
"""The last so many tell the rate."""


@dataclass(frozen=True, kw_only=True)
class ListRunState:
    """`left` and `rate` are None while they are not known."""

    is_running: bool = False
    is_stopping: bool = False
    model: str = ""
    """Empty while it is being loaded."""
    done: int = 0
    faults: int = 0
    """Of those, how many have no record: unreadable, or the agent died over them."""
    left: int | None = None
    rate: float | None = None
    """A second."""
    fault: str = ""
    """Why it ended early."""


class ListRun(QObject):
    """One run over a session at a time; a thread of its own waits for the workers."""

    changed = Signal(object)
    """A `ListRunState`."""

    _told = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = ListRunState()
        self._session = session
        self._pool: WorkerPool | None = None
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._told.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def start(self, load: LoadRequest, workers: int, command: Sequence[str] | None = None) -> None:
        if self.state.is_running:
            return
        self.close()
        pool = WorkerPool(workers, load, command=command)
        self._pool = pool
        self._stopping = threading.Event()
        self._set(ListRunState(is_running=True))
        self._thread = threading.Thread(
            target=self._work, args=(pool, self._stopping), name="agent over the list", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """What runs is given up; returns at once."""
        pool = self._pool
        if pool is None or not self.state.is_running or self.state.is_stopping:
            return
        self._stopping.set()
        self._set(replace(self.state, is_stopping=True))
        # Its workers take a moment to leave, and the window does not wait for that.
        threading.Thread(target=pool.close, name="agent leaves the list", daemon=True).start()

    def close(self) -> None:
        """`stop`, and wait for the workers' end."""
        pool, thread, self._pool, self._thread = self._pool, self._thread, None, None
        self._stopping.set()
        if pool is not None:
            pool.close()
        if thread is not None:
            thread.join()

    # The thread

    def _work(self, pool: WorkerPool, stopping: threading.Event) -> None:
        state = self.state
        try:
            model = _ready(pool)
            state = replace(state, model=model.name, left=count_to_do(self._session, model))
            self._told.emit(state)
            ends: deque[float] = deque([time.monotonic()], maxlen=RATE_OVER)
            outcomes = cast("Generator[Vetted]", vet(self._session, pool, model))
            with closing(outcomes):
                for vetted in outcomes:
                    if stopping.is_set():
                        break  # what it was just given came to nothing, and is left for later
                    ends.append(time.monotonic())
                    state = _counted(state, vetted, ends)
                    self._told.emit(state)
        except WorkerClosed:
            pass
        except WorkbenchError as error:
            state = replace(state, fault=str(error))
        finally:
            pool.close()
            self._told.emit(replace(state, is_running=False))

    # The window's thread

    def _take(self, state: ListRunState) -> None:
        if self._thread is None:
            return  # closed meanwhile
        self._set(replace(state, is_stopping=self.state.is_stopping and state.is_running))

    def _set(self, state: ListRunState) -> None:
        self.state = state
        self.changed.emit(state)


def _ready(pool: WorkerPool) -> ModelRef:
    """A worker that dies over the model may do better the next time."""
    try:
        return pool.ready()
    except LoadCrash:
        return pool.ready()


def _counted(state: ListRunState, vetted: Vetted, ends: deque[float]) -> ListRunState:
    took = ends[-1] - ends[0]
    return replace(
        state,
        done=state.done + 1,
        faults=state.faults + bool(vetted.fault),
        left=None if state.left is None else max(state.left - 1, 0),
        rate=(len(ends) - 1) / took if took > 0 else None,
    )
