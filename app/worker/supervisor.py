"""Runs one child process with the selected model: starts it, loads, restarts after a crash."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count

from agent.errors import TrajectoryError
from agent.trajectory.trajectory import ModelRef
from app.worker.errors import (
    InspectionError,
    LoadCrash,
    LoadError,
    WorkerClosed,
    WorkerCrash,
    WorkerTimeout,
)
from app.worker.inspection import RunningInspection
from app.worker.process import ChildProcess
from app.worker.records import model_from_json
from app.worker.request import LoadRequest
from app.worker.running import Running, failure
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


def _no_more() -> None:
    return None


class WorkerSupervisor:
    """For one thread; only `select`, `stop`, `wake`, `ping` and `pid` may be called from any."""

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

    def ping(self, timeout_s: float) -> float | None:
        child = self._child
        return None if child is None or child.is_lost else child.ping(timeout_s)

    def ready(self) -> tuple[ChildProcess, ModelRef]:
        """Return a child that has the selected model loaded. Raises LoadError."""
        while True:
            self._check_open()
            selected = self.selected
            if self._load_crashes >= MAX_LOAD_CRASHES:
                raise LoadError(
                    f"{selected.shown} is not loaded: the worker died {self._load_crashes} times "
                    "in a row while loading it; choose another model or load this one again"
                )
            try:
                child = self._running_child()
                return child, self._with_model(child, selected)
            except WorkerCrash as crash:
                if self.selected is selected:
                    self._load_crashes += 1
                    kind = LoadError if isinstance(crash, WorkerTimeout) else LoadCrash
                    raise kind(f"{crash}", crash.detail) from crash

    def inspect(self, inspection: RunningInspection, more: More = _no_more) -> None:
        """Run the inspection, and those that `more` gives meanwhile, to their ends.

        Each gets its trajectory or the error that ended it.
        """
        running = Running()
        following: RunningInspection | None = inspection
        try:
            while following is not None or running:
                if following is not None and self._may_start(running):
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

    def _may_start(self, running: Running) -> bool:
        """Whether the next one can run beside those that run."""
        child = self._child
        is_same = running.load is self.selected and child is not None and not child.is_lost
        return not running or is_same

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
        except WorkerCrash as crash:
            running.crash(crash)

    def unload(self) -> None:
        """Free the model's memory; the next inspection loads it again."""
        child = self._child
        if child is None or child.is_lost or self._loaded is None:
            return
        self._loaded = None
        with suppress(WorkerCrash):  # a crash frees the memory too
            self._ask(
                child,
                {"type": "unload", "id": next(self.numbers)},
                _no_limit,
                "was unloading the model",
            )

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
        hello = self._receive(
            child, lambda: (until, f"did not start within {HELLO_S:g} s"), "was starting"
        )
        assert hello is not None
        if hello["type"] != "hello" or hello.get("wire") != WIRE_VERSION:
            child.kill("has another version")
            raise LoadError(
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

        try:
            reply = self._ask(
                child, selected.message(next(self.numbers)), limit, f"was loading {selected.shown}"
            )
        except InspectionError as error:
            raise LoadError(str(error), error.detail) from error
        model = model_from_json(reply.get("model"))
        self._loaded, self._load_crashes = (selected, model), 0
        return model

    def _ask(self, child: ChildProcess, request: Message, limit: Limit, activity: str) -> Message:
        child.send(request)
        return next(self._answers(child, request["id"], limit, activity))

    def _answers(
        self, child: ChildProcess, number: int, limit: Limit, activity: str
    ) -> Iterator[Message]:
        """Yield the child's messages about one request, without end.

        Raises InspectionError if the child reports a failure, WorkerCrash if the child ends.
        """
        while True:
            message = self._receive(child, limit, activity)
            assert message is not None
            about = message.get("id")
            # Without an id: the child could not read the request, so it cannot name it.
            if message["type"] == "failed" and about in (number, None):
                raise failure(message)
            if about == number:
                yield message

    def _receive(
        self, child: ChildProcess, limit: Limit, activity: str, *, once: bool = False
    ) -> Message | None:
        """Wait for the child's next message. Messages from a killed child are ignored.

        With `once`, return None when woken.
        """
        kind = WorkerCrash
        while True:
            self._check_open()
            until, left_s = limit(), PING_S
            if until is not None and not child.is_lost:
                left_s = min(until[0] - time.monotonic(), PING_S)
                if left_s <= 0:
                    child.kill(until[1])
                    kind, left_s = WorkerTimeout, PING_S
            message = child.receive(left_s)
            if message is not None and not child.was_killed:
                return message
            if child.is_exhausted:
                raise kind(_crash_message(child, activity), child.stderr)
            child.ask_for_life(PING_S, MAX_UNANSWERED)
            if once and not child.is_lost:
                return None

    def _check_open(self) -> None:
        if self._stopping:
            raise WorkerClosed("stopped because the worker is closing")

    def wake(self) -> None:
        """Let the thread that waits for the child look for something else to do."""
        child = self._child
        if child is not None:
            child.wake()


def _crash_message(child: ChildProcess, activity: str) -> str:
    line = f" (its last line: {child.last_line})" if child.last_line else ""
    message = f"the worker {child.exit_description} while it {activity}{line}"
    return f"{message}; the next request starts a new one"


def _no_limit() -> None:
    return None
