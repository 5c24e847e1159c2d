"""The program's side of a worker: ask, go on with other work, hear of what happens."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TypeVar

from agent.child_command import child_command
from agent.trajectory.trajectory import ModelRef
from app.worker.errors import LoadError, WorkerClosed
from app.worker.inspection import OnEvent, RunningInspection, unheard
from app.worker.request import InspectRequest, LoadRequest
from app.worker.supervisor import WorkerSupervisor

CANCEL_GRACE_S = 30.0
"""A picture of a large model takes that long on a slow machine, and cannot be interrupted."""

Result = TypeVar("Result")


def worker_command() -> list[str]:
    """This very code in a process of its own."""
    return child_command("worker", [str(Path(__file__).with_name("__main__.py"))])


class WorkerClient:
    """One child process, made when it is first needed, and again after a crash.

    Requests are done one after the other, in order, on a thread of the client. Methods return at
    once, but `close` and `ping`, and may be called from any thread.
    """

    def __init__(
        self, command: Sequence[str] | None = None, *, cancel_grace_s: float = CANCEL_GRACE_S
    ) -> None:
        self._keeper = WorkerSupervisor(worker_command() if command is None else command)
        self._cancel_grace_s = cancel_grace_s
        self._changed = threading.Condition()
        self._jobs: deque[Callable[[], None]] = deque()
        self._closing = False
        self._thread = threading.Thread(target=self._serve, name="worker client", daemon=True)
        self._thread.start()

    def __enter__(self) -> WorkerClient:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """Of the child process, where one runs."""
        return self._keeper.pid

    def load(self, load: LoadRequest) -> Future[ModelRef]:
        """Inspect with this model from now on, what waits included, and make it ready.

        A LoadError says why it cannot be had. Before any `load` it is the measured inspector.
        """
        self.want(load)
        return self._promise(lambda: self._loaded(load))

    def want(self, load: LoadRequest) -> None:
        """As `load`, but only the next inspection makes it ready."""
        self._keeper.want(load)

    def unload(self) -> Future[None]:
        """Give the model's memory back. The next inspection loads it again."""
        return self._promise(self._keeper.unload)

    def inspect(self, request: InspectRequest, on_event: OnEvent = unheard) -> RunningInspection:
        """Inspect when those before are done; loads the model where that is still to do."""
        number = next(self._keeper.numbers)
        inspection = RunningInspection(number, request, on_event, self._cancel_grace_s)
        self._enqueue(partial(self._inspect, inspection))
        return inspection

    def ping(self, timeout_s: float = 1.0) -> float | None:
        """Seconds the child took to answer, which it does while it inspects; None: it did not."""
        return self._keeper.ping(timeout_s)

    def stop(self) -> None:
        """What runs or waits fails with WorkerClosed, and the child is sent away."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._keeper.stop()

    def close(self) -> None:
        """`stop`, and wait for the child's end: a few seconds at most. Not within `on_event`."""
        self.stop()
        self._thread.join()

    def _loaded(self, load: LoadRequest) -> ModelRef:
        model = self._keeper.ready()[1]
        if self._keeper.wanted is not load:
            raise LoadError(f"{load.shown} is not loaded: another model was chosen meanwhile")
        return model

    def _inspect(self, inspection: RunningInspection) -> None:
        if inspection.is_done():
            return
        try:
            self._keeper.inspect(inspection)
        except Exception as error:  # whoever waits for the result gets it, ours too
            inspection.fail(error)

    def _promise(self, work: Callable[[], Result]) -> Future[Result]:
        promise: Future[Result] = Future()
        self._enqueue(partial(_keep, promise, work))
        return promise

    def _enqueue(self, job: Callable[[], None]) -> None:
        with self._changed:
            if self._closing:
                raise WorkerClosed("the worker has been closed")
            self._jobs.append(job)
            self._changed.notify()

    def _serve(self) -> None:
        while (job := self._next()) is not None:
            job()
        self._keeper.close()

    def _next(self) -> Callable[[], None] | None:
        """None after `close`, when the jobs that were waiting have failed with WorkerClosed."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._closing)
            return self._jobs.popleft() if self._jobs else None


def _keep(promise: Future[Result], work: Callable[[], Result]) -> None:
    if not promise.set_running_or_notify_cancel():
        return
    try:
        promise.set_result(work())
    except Exception as error:  # whoever waits for the result gets it, ours too
        promise.set_exception(error)
