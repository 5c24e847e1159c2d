"""Runs one child process with the selected model: starts it, loads, restarts after a crash."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import TypeVar, cast

from agent.checked_toml import printable
from agent.child_process.die_with_parent import GIVES_WAY
from agent.child_process.start_child import child_command
from agent.errors import TrajectoryError
from agent.trajectory.trajectory import ModelRef
from agent.trajectory.trajectory_file import from_json, step_from_json
from app.worker import errors
from app.worker.inspection import OnEvent, RunningInspection, StepDone, TextGenerated, ignore_event
from app.worker.process import ChildProcess
from app.worker.request import InspectRequest, LoadRequest, model_from_json
from app.worker.wire import WIRE_VERSION, Message

HELLO_S = 60.0
# The largest model on the slowest disk loads sooner.
LOAD_S = 3600.0
# A worker answers pings while it loads and inspects, unless it is stopped or its native code holds
# Python's lock, as some libraries do for seconds.
PING_S = 5.0
MAX_UNANSWERED = 12
MAX_LOAD_CRASHES = 3

Limit = Callable[[], tuple[float, str] | None]
"""When to kill the child, on the monotonic clock, and why; None for never."""

More = Callable[[], RunningInspection | None]
"""The next inspection that may run beside the others, if one waits."""

_log = logging.getLogger("app.worker")

MAX_LINE = 2_000

Result = TypeVar("Result")


def _nothing() -> None:
    return None


class WorkerSupervisor:
    """For one thread; only `select`, `stop`, `wake` and `pid` may be called from any."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)
        # Request numbers are never reused, so a late answer is recognised as one.
        self.numbers = count(1)
        self.selected = LoadRequest()
        self._child: ChildProcess | None = None
        self._loaded: tuple[LoadRequest, ModelRef] | None = None
        self._load_crashes = 0
        self._stopping = False

    @property
    def pid(self) -> int | None:
        child = self._child
        return None if child is None or child.is_lost else child.pid

    def select(self, load: LoadRequest) -> None:
        """Inspect with this model from now on; stops loading another one."""
        self.selected, self._load_crashes = load, 0
        self.wake()

    def stop(self) -> None:
        """Make the running request and every later one raise WorkerClosed."""
        self._stopping = True
        self.wake()

    def ready(self) -> tuple[ChildProcess, ModelRef]:
        """Return a child that has the selected model loaded. Raises LoadError."""
        while True:
            self._check_open()
            selected = self.selected
            if self._load_crashes >= MAX_LOAD_CRASHES:
                raise errors.LoadError(
                    f"{selected.shown} is not loaded: the worker died {self._load_crashes} times "
                    "in a row while loading it; choose another model or load this one again"
                )
            try:
                child = self._running_child()
                return child, self._with_model(child, selected)
            except errors.WorkerCrash as crash:
                if self.selected is selected:
                    self._load_crashes += 1
                    is_late = isinstance(crash, errors.WorkerTimeout)
                    kind = errors.LoadError if is_late else errors.LoadCrash
                    raise kind(f"{crash}", crash.detail) from crash

    def inspect(self, inspection: RunningInspection, more: More = _nothing) -> None:
        """Run the inspection, and those that `more` gives meanwhile, to their ends.

        Each gets its trajectory or the error that ended it.
        """
        running = Running()
        following: RunningInspection | None = inspection
        try:
            while following is not None or running:
                # Beside others it can run with the same model, in a child that lives.
                child = self._child
                is_same = running.load is self.selected and child is not None and not child.is_lost
                if following is not None and (is_same or not running):
                    running.next = following
                    child, model = self.ready()
                    running.load = self.selected
                    running.start(following, child, model)
                    following = more()
                    continue
                self._hear(running)
                following = following or more()
        except Exception as error:  # even a bug of ours must reach the one who waits
            running.fail(error)

    def _hear(self, running: Running) -> None:
        """Handle the next message about what runs, or the wake-up for another one."""
        child = self._child
        assert child is not None
        try:
            message = self._receive(child, running.time_limit, running.activity, once=True)
            if message is not None:
                running.handle(message)
        except TrajectoryError as error:
            child.kill(f"sent an unreadable message ({error})")
        except errors.WorkerCrash as crash:
            running.crash(crash)

    def unload(self) -> None:
        """Free the model's memory; the next inspection loads it again."""
        child = self._child
        if child is None or child.is_lost or self._loaded is None:
            return
        self._loaded = None
        with suppress(errors.WorkerCrash):  # a crash frees the memory too
            request = {"type": "unload", "id": next(self.numbers)}
            self._ask(child, request, _nothing, "was unloading the model")

    def close(self) -> None:
        child, self._child, self._loaded = self._child, None, None
        if child is not None:
            child.close()

    def _running_child(self) -> ChildProcess:
        child = self._child
        if child is not None and child.is_lost:
            _log.info("the worker %s; starting a new one", child.exit_description)
            self.close()
            child = None
        if child is None:
            child = self._child = ChildProcess(self._command)
            self._wait_for_hello(child)
        return child

    def _wait_for_hello(self, child: ChildProcess) -> None:
        until = time.monotonic() + HELLO_S
        why = f"did not start within {HELLO_S:g} s"
        hello = self._receive(child, lambda: (until, why), "was starting")
        assert hello is not None
        if hello["type"] != "hello" or hello.get("wire") != WIRE_VERSION:
            child.kill("has another version")
            raise errors.LoadError(
                "the worker has another version than this program: reinstall Spec-o3 Workbench"
            )

    def _with_model(self, child: ChildProcess, selected: LoadRequest) -> ModelRef:
        if self._loaded is not None and self._loaded[0] is selected:
            return self._loaded[1]
        self._loaded = None
        until = time.monotonic() + LOAD_S

        def limit() -> tuple[float, str]:
            if self.selected is not selected:
                return 0.0, "was loading a model that is no longer selected"
            return until, f"did not load within {LOAD_S:g} s"

        request = selected.message(next(self.numbers))
        try:
            reply = self._ask(child, request, limit, f"was loading {selected.shown}")
        except errors.InspectionError as error:
            raise errors.LoadError(str(error), error.detail) from error
        model = model_from_json(reply.get("model"))
        self._loaded, self._load_crashes = (selected, model), 0
        return model

    def _ask(self, child: ChildProcess, request: Message, limit: Limit, activity: str) -> Message:
        """The child's answer. Raises InspectionError if it is a failure, WorkerCrash if it ends."""
        child.send(request)
        while True:
            message = self._receive(child, limit, activity)
            assert message is not None
            about = message.get("id")
            # Without an id: the child could not read the request, so it cannot name it.
            if message["type"] == "failed" and about in (request["id"], None):
                raise failure(message)
            if about == request["id"]:
                return message

    def _receive(
        self, child: ChildProcess, limit: Limit, activity: str, *, once: bool = False
    ) -> Message | None:
        """Wait for the child's next message. Messages from a killed child are ignored.

        With `once`, return None when woken.
        """
        kind = errors.WorkerCrash
        while True:
            self._check_open()
            until, left_s = limit(), PING_S
            if until is not None and not child.is_lost:
                left_s = min(until[0] - time.monotonic(), PING_S)
                if left_s <= 0:
                    child.kill(until[1])
                    kind, left_s = errors.WorkerTimeout, PING_S
            message = child.receive(left_s)
            if message is not None and not child.was_killed:
                return message
            if child.is_exhausted:
                line = f" (its last line: {child.last_line})" if child.last_line else ""
                how = f"the worker {child.exit_description} while it {activity}{line}"
                raise kind(f"{how}; the next request starts a new one", child.stderr)
            child.ask_for_life(PING_S, MAX_UNANSWERED)
            if once and not child.is_lost:
                return None

    def _check_open(self) -> None:
        if self._stopping:
            raise errors.WorkerClosed("stopped because the worker is closing")

    def wake(self) -> None:
        """Let the thread that waits for the child look for something else to do."""
        child = self._child
        if child is not None:
            child.wake()


# The inspections that run in one child process, and which of them ends when something happens.
class Running:
    """For the thread of the supervisor."""

    def __init__(self) -> None:
        self.load: LoadRequest | None = None  # the model that they run with
        self.next: RunningInspection | None = None  # the one that is being started
        self._all: dict[int, RunningInspection] = {}
        self._reading: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self._all)

    def start(self, inspection: RunningInspection, child: ChildProcess, model: ModelRef) -> None:
        self.next = None
        try:
            if inspection.start_in(child, model):
                self._all[inspection.number] = inspection
        except errors.WireError as error:  # too long to be sent
            inspection.fail(error)

    @property
    def activity(self) -> str:
        """Completes the sentence "the worker died while it ..."."""
        if len(self._all) == 1:
            (only,) = self._all.values()
            return f"was inspecting {only.request.shown}"
        return f"was inspecting {len(self._all)} spectra"

    def time_limit(self) -> tuple[float, str] | None:
        """When to kill the child, on the monotonic clock, and why."""
        limits = (each.time_limit() for each in self._all.values())
        return min((limit for limit in limits if limit is not None), default=None)

    def handle(self, message: Message) -> None:
        """Pass a message on to the inspection that it is about. Raises TrajectoryError."""
        kind, number = message["type"], message.get("id")
        if kind == "failed" and number is None:  # it could not read a request
            self._end(lambda each: each.fail(failure(message)))
        inspection = self._all.get(number) if isinstance(number, int) else None
        if inspection is None:
            return
        if kind == "reading":
            self._reading.add(inspection.number)
        elif kind == "read":
            self._reading.discard(inspection.number)
        elif kind == "text":
            inspection.emit(TextGenerated(str(message.get("text", ""))))
        elif kind == "step":
            inspection.emit(StepDone(step_from_json(message.get("step"))))
        elif kind == "failed":
            self._pop(inspection).fail(failure(message))
        elif kind == "done":
            trajectory = from_json(message.get("trajectory"))
            busy = message.get("busy")
            inspection.busy = busy if isinstance(busy, int) else 0
            self._pop(inspection).finish(trajectory)

    def crash(self, crash: errors.WorkerCrash) -> None:
        """End all of them, and blame the one whose file was being read, or that took too long."""
        guilty = set(self._reading) or (set(self._all) if len(self._all) == 1 else set())
        if not guilty and isinstance(crash, errors.WorkerTimeout):
            guilty = {number for number, each in self._all.items() if _is_late(each)}

        beside = errors.CrashBeside(str(crash), crash.detail, is_innocent=bool(guilty))
        self._end(lambda each: each.fail(crash if each.number in guilty else beside))

    def fail(self, error: Exception) -> None:
        """End all of them, and the one that was being started, with this error."""
        following, self.next = self.next, None
        self._end(lambda each: each.fail(error))
        if following is not None:
            following.fail(error)

    def _end(self, how: Callable[[RunningInspection], None]) -> None:
        ended, self._all = self._all, {}
        self._reading.clear()
        for inspection in ended.values():
            how(inspection)

    def _pop(self, inspection: RunningInspection) -> RunningInspection:
        self._reading.discard(inspection.number)
        return self._all.pop(inspection.number)


def failure(message: Message) -> errors.InspectionError:
    """The error that the child told in a message."""
    return errors.InspectionError(_text(message, "message"), _text(message, "detail"))


def _text(message: Message, key: str) -> str:
    lines = str(message.get(key, ""))[: 10 * MAX_LINE].splitlines()
    return "\n".join(printable(line, MAX_LINE) for line in lines)


def _is_late(inspection: RunningInspection) -> bool:
    limit = inspection.time_limit()
    return limit is not None and limit[0] <= time.monotonic()


# The program's side of a worker: sends requests and delivers their results later.
def worker_command(*, gives_way: bool = False) -> list[str]:
    """The command line that runs this package as a child process.

    One that gives way leaves the processor to the program that started it, as to a window.
    """
    script = [str(Path(__file__).with_name("__main__.py"))]
    return child_command("worker", script, *([GIVES_WAY] if gives_way else []))


class WorkerClient(AbstractContextManager["WorkerClient"]):
    """One child process, started when first needed and restarted after a crash.

    A thread of the client works through the requests in order; inspections run one at a time, or as
    many as there are if the model was loaded with `side_by_side`. All methods may be called from
    any thread; all but `close` return at once.
    """

    def __init__(self, command: Sequence[str] | None = None) -> None:
        self._supervisor = WorkerSupervisor(worker_command() if command is None else command)
        self._changed = threading.Condition()
        self._jobs: deque[Callable[[], None] | RunningInspection] = deque()
        self._closing = False
        self._thread = threading.Thread(target=self._run_jobs, name="worker client", daemon=True)
        self._thread.start()

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
        inspection = RunningInspection(next(self._supervisor.numbers), request, on_event)
        self._enqueue(inspection)
        return inspection

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
            raise errors.LoadError(f"{load.shown} is not loaded because another model was selected")
        return model

    def _submit(self, work: Callable[[], Result]) -> Future[Result]:
        future: Future[Result] = Future()
        self._enqueue(partial(_fulfil, future, work))
        return future

    def _enqueue(self, job: Callable[[], None] | RunningInspection) -> None:
        with self._changed:
            if self._closing:
                raise errors.WorkerClosed("the worker is closed")
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
