"""The program's side of a worker: sends requests and delivers their results later."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TypeVar, cast

from agent.child_process.child_command import child_command
from agent.child_process.give_way import GIVES_WAY
from agent.trajectory.trajectory import ModelRef
from app.worker.errors import LoadError, WorkerClosed
from app.worker.inspection import OnEvent, RunningInspection, ignore_event
from app.worker.request import InspectRequest, LoadRequest
from app.worker.supervisor import WorkerSupervisor

# A large model on a slow machine needs this long for one picture and cannot be interrupted.
CANCEL_GRACE_S = 30.0

Result = TypeVar("Result")


def worker_command(*, gives_way: bool = False) -> list[str]:
    """The command line that runs this package as a child process.

    One that gives way leaves the processor to the program that started it, as to a window.
    """
    script = [str(Path(__file__).with_name("__main__.py"))]
    return child_command("worker", script, *([GIVES_WAY] if gives_way else []))


class WorkerClient:
    """One child process, started when first needed and restarted after a crash.

    A thread of the client works through the requests in order; inspections run one at a time, or as
    many as there are if the model was loaded with `side_by_side`. All methods may be called from
    any thread; all but `close` and `ping` return at once.
    """

    def __init__(
        self, command: Sequence[str] | None = None, *, cancel_grace_s: float = CANCEL_GRACE_S
    ) -> None:
        self._supervisor = WorkerSupervisor(worker_command() if command is None else command)
        self._cancel_grace_s = cancel_grace_s
        self._changed = threading.Condition()
        self._jobs: deque[Callable[[], None] | RunningInspection] = deque()
        self._closing = False
        self._thread = threading.Thread(target=self._run_jobs, name="worker client", daemon=True)
        self._thread.start()

    def __enter__(self) -> WorkerClient:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """Of the child process; None if none runs."""
        return self._supervisor.pid

    def load(self, load: LoadRequest) -> Future[ModelRef]:
        """Load this model and inspect with it from now on, waiting requests included.

        The future raises LoadError if the model cannot be loaded. Before the first `load`, the
        measured inspector is used.
        """
        self.select(load)
        return self._submit(lambda: self._wait_for_load(load))

    def select(self, load: LoadRequest) -> None:
        """Like `load`, but the model is loaded by the next inspection."""
        self._supervisor.select(load)

    def unload(self) -> Future[None]:
        """Free the model's memory; the next inspection loads it again."""
        return self._submit(self._supervisor.unload)

    def inspect(
        self, request: InspectRequest, on_event: OnEvent = ignore_event
    ) -> RunningInspection:
        """Queue an inspection, which loads the model first if necessary."""
        number = next(self._supervisor.numbers)
        inspection = RunningInspection(number, request, on_event, self._cancel_grace_s)
        self._enqueue(inspection)
        return inspection

    def ping(self, timeout_s: float = 1.0) -> float | None:
        """Seconds until the child answered, or None. It answers during an inspection too."""
        return self._supervisor.ping(timeout_s)

    def stop(self) -> None:
        """Fail running and waiting requests with WorkerClosed and tell the child to quit."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._supervisor.stop()

    def close(self) -> None:
        """Stop and wait a few seconds for the child's end. Do not call this from `on_event`."""
        self.stop()
        self._thread.join()

    def _wait_for_load(self, load: LoadRequest) -> ModelRef:
        model = self._supervisor.ready()[1]
        if self._supervisor.selected is not load:
            raise LoadError(f"{load.shown} is not loaded because another model was selected")
        return model

    def _submit(self, work: Callable[[], Result]) -> Future[Result]:
        future: Future[Result] = Future()
        self._enqueue(partial(_fulfil, future, work))
        return future

    def _enqueue(self, job: Callable[[], None] | RunningInspection) -> None:
        with self._changed:
            if self._closing:
                raise WorkerClosed("the worker is closed")
            self._jobs.append(job)
            self._changed.notify()
        if self._supervisor.selected.side_by_side:
            self._supervisor.wake()

    def _run_jobs(self) -> None:
        while (job := self._next_job()) is not None:
            if not isinstance(job, RunningInspection):
                job()
            elif not job.is_done():  # it was cancelled
                self._supervisor.inspect(job, self._next_beside)
        self._supervisor.close()

    def _next_beside(self) -> RunningInspection | None:
        """The next job, if it is an inspection that can run beside others."""
        with self._changed:
            if not (self._jobs and self._supervisor.selected.side_by_side):
                return None
            if not isinstance(self._jobs[0], RunningInspection):
                return None
            inspection = cast(RunningInspection, self._jobs.popleft())
        return None if inspection.is_done() else inspection

    def _next_job(self) -> Callable[[], None] | RunningInspection | None:
        """None after `stop`, once the waiting jobs have failed with WorkerClosed."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._closing)
            return self._jobs.popleft() if self._jobs else None


def _fulfil(future: Future[Result], work: Callable[[], Result]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except Exception as error:  # even a bug of ours must reach the one who waits
        future.set_exception(error)
