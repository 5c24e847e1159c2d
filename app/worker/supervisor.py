"""Keeps one child with the wanted model in it: starts, loads, starts again after a crash."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count

from agent.checked_toml import printable
from agent.errors import TrajectoryError
from agent.trajectory.trajectory import ModelRef
from agent.trajectory.trajectory_file import from_json, step_from_json
from app.worker.errors import InspectionError, LoadCrash, LoadError, WorkerClosed, WorkerCrash
from app.worker.inspection import RunningInspection, Spoken, Stepped
from app.worker.process import ChildProcess
from app.worker.records import model_from_json
from app.worker.request import LoadRequest
from app.worker.wire import WIRE_VERSION, Message

HELLO_S = 60.0
MAX_LOAD_CRASHES = 3
MAX_SAID = 2_000

Limit = Callable[[], tuple[float, str] | None]
"""When the child must be ended, on the monotonic clock, and why; None: no limit."""

_log = logging.getLogger("app.worker")


class WorkerSupervisor:
    """One thread uses it; `want`, `stop`, `ping` and `pid` are for any."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)
        self.numbers = count(1)
        """Of the requests; none is used twice, so that a late answer is known as one."""
        self.wanted = LoadRequest()
        self._child: ChildProcess | None = None
        self._loaded: tuple[LoadRequest, ModelRef] | None = None
        self._load_crashes = 0
        self._stopping = False

    @property
    def pid(self) -> int | None:
        """Of the child, where one runs."""
        child = self._child
        return None if child is None or child.is_lost else child.pid

    def want(self, load: LoadRequest) -> None:
        """Inspect with this from now on. The loading of another model is given up."""
        self.wanted, self._load_crashes = load, 0
        self._wake()

    def stop(self) -> None:
        """Whatever is asked for raises WorkerClosed, what runs included."""
        self._stopping = True
        self._wake()

    def ping(self, timeout_s: float) -> float | None:
        child = self._child
        return None if child is None or child.is_lost else child.ping(timeout_s)

    def ready(self) -> tuple[ChildProcess, ModelRef]:
        """A child with the wanted model. Raises LoadError."""
        while True:
            self._check_open()
            wanted = self.wanted
            if self._load_crashes >= MAX_LOAD_CRASHES:
                raise LoadError(
                    f"{wanted.shown} is not loaded: the worker died {self._load_crashes} times in "
                    "a row over it; choose another model, or load this one again"
                )
            try:
                child = self._running()
                return child, self._with_model(child, wanted)
            except WorkerCrash as crash:
                if self.wanted is wanted:
                    self._load_crashes += 1
                    raise LoadCrash(f"{crash}", crash.detail) from crash

    def inspect(self, inspection: RunningInspection) -> None:
        """Finishes the inspection, or raises what it came to instead."""
        child, model = self.ready()
        if not inspection.begin(child, model):
            return
        doing = f"inspected {inspection.request.shown}"
        for message in self._answers(child, inspection.number, inspection.limit, doing):
            try:
                if _take(inspection, message):
                    return
            except TrajectoryError as error:
                child.kill(f"sent what cannot be read ({error})")

    def unload(self) -> None:
        """Give the model's memory back; the next inspection loads it again."""
        child = self._child
        if child is None or child.is_lost or self._loaded is None:
            return
        self._loaded = None
        with suppress(WorkerCrash):  # its memory is free then, too
            self._ask(child, {"type": "unload", "id": next(self.numbers)}, _never, "unloaded")

    def close(self) -> None:
        child, self._child, self._loaded = self._child, None, None
        if child is not None:
            child.close()

    def _running(self) -> ChildProcess:
        child = self._child
        if child is not None and child.is_lost:
            _log.info("the worker %s; a new one is started", child.fate)
            self.close()
            child = None
        if child is None:
            child = self._child = ChildProcess(self._command)
            self._greet(child)
        return child

    def _greet(self, child: ChildProcess) -> None:
        until = time.monotonic() + HELLO_S
        hello = self._hear(child, lambda: (until, f"did not start within {HELLO_S:g} s"), "started")
        if hello["type"] != "hello" or hello.get("wire") != WIRE_VERSION:
            child.kill("is of another version")
            raise LoadError("the worker is of another version than this program: install it anew")

    def _with_model(self, child: ChildProcess, wanted: LoadRequest) -> ModelRef:
        if self._loaded is not None and self._loaded[0] is wanted:
            return self._loaded[1]
        self._loaded = None

        def limit() -> tuple[float, str] | None:
            given_up = self.wanted is not wanted
            return (0.0, "loaded a model that is no longer wanted") if given_up else None

        try:
            reply = self._ask(
                child, wanted.message(next(self.numbers)), limit, f"loaded {wanted.shown}"
            )
        except InspectionError as error:
            raise LoadError(str(error), error.detail) from error
        model = model_from_json(reply.get("model"))
        self._loaded, self._load_crashes = (wanted, model), 0
        return model

    def _ask(self, child: ChildProcess, request: Message, limit: Limit, doing: str) -> Message:
        child.send(request)
        return next(self._answers(child, request["id"], limit, doing))

    def _answers(
        self, child: ChildProcess, number: int, limit: Limit, doing: str
    ) -> Iterator[Message]:
        """What the child says about one request, without end. Raises InspectionError where it
        says that it failed, WorkerCrash where the child ends."""
        while True:
            message = self._hear(child, limit, doing)
            about = message.get("id")
            # A child that could not read a request cannot say which one it was.
            if message["type"] == "failed" and about in (number, None):
                raise InspectionError(_said(message, "message"), _said(message, "detail"))
            if about == number:
                yield message

    def _hear(self, child: ChildProcess, limit: Limit, doing: str) -> Message:
        """The child's next message. A child that was killed is no longer believed."""
        while True:
            self._check_open()
            until, left_s = limit(), None
            if until is not None and not child.is_lost:
                left_s = until[0] - time.monotonic()
                if left_s <= 0:
                    child.kill(until[1])
                    left_s = None
            message = child.receive(left_s)
            if message is not None and not child.was_killed:
                return message
            if child.is_exhausted:
                raise _crash(child, doing)

    def _check_open(self) -> None:
        if self._stopping:
            raise WorkerClosed("stopped: the worker is being closed")

    def _wake(self) -> None:
        child = self._child
        if child is not None:
            child.wake()


def _take(inspection: RunningInspection, message: Message) -> bool:
    """Pass on what the child says about an inspection; True when it was the last word."""
    if message["type"] == "text":
        inspection.tell(Spoken(str(message.get("text", ""))))
    elif message["type"] == "step":
        inspection.tell(Stepped(step_from_json(message.get("step"))))
    elif message["type"] == "done":
        inspection.finish(from_json(message.get("trajectory")))
        return True
    return False


def _crash(child: ChildProcess, doing: str) -> WorkerCrash:
    words = child.last_words
    said = f" (it last said: {words})" if words else ""
    how = f"the worker {child.fate} while it {doing}{said}"
    return WorkerCrash(f"{how}; the next request starts a new one", child.stderr)


def _said(message: Message, key: str) -> str:
    lines = str(message.get(key, ""))[: 10 * MAX_SAID].splitlines()
    return "\n".join(printable(line, MAX_SAID) for line in lines)


def _never() -> None:
    return None
