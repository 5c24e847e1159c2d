"""A handle on one running inspection: steer it, receive its events, wait for its trajectory."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict, dataclass

from agent.inspection.control import Interjection
from agent.trajectory.trajectory import ModelRef, Step, Trajectory
from app.worker.errors import InspectionCancelled
from app.worker.process import ChildProcess
from app.worker.request import InspectRequest
from app.worker.wire import Message, encode

# A large model on a slow machine needs this long for one picture and cannot be interrupted.
CANCEL_GRACE_S = 30.0

_log = logging.getLogger("app.worker")


@dataclass(frozen=True)
class Started:
    """The model is loaded and the inspection has begun."""

    model: ModelRef


@dataclass(frozen=True)
class TextGenerated:
    """A piece of the agent's reply, sent while it is generated."""

    text: str


@dataclass(frozen=True)
class StepDone:
    step: Step


@dataclass(frozen=True)
class Finished:
    trajectory: Trajectory


@dataclass(frozen=True)
class Failed:
    """`error` is a WorkerError with advice for the user, or any exception if we have a bug."""

    error: Exception


Event = Started | TextGenerated | StepDone | Finished | Failed
OnEvent = Callable[[Event], None]
"""Called on the client's thread or on the one that cancels; the last is Finished or Failed."""


def ignore_event(event: Event) -> None:
    """A listener for callers that need only the result."""


class RunningInspection:
    """An inspection that waits, runs or has ended.

    Any thread may steer it; commands after the end do nothing.
    """

    def __init__(self, number: int, request: InspectRequest, on_event: OnEvent) -> None:
        self.number = number
        self.request = request
        self._on_event = on_event
        self._future: Future[Trajectory] = Future()
        self._lock = threading.Lock()
        self._child: ChildProcess | None = None
        self._early_steering: list[Message] = []
        self._started_at = 0.0
        self._cancelled_at: float | None = None
        self._ended = False
        self.busy = 0
        """How often the model's server refused for too much work since the last one ended."""

    def result(self, timeout_s: float | None = None) -> Trajectory:
        """Wait for the trajectory. Raises WorkerError or TimeoutError.

        Do not call this from `on_event`: the same thread delivers the result.
        """
        return self._future.result(timeout_s)

    def is_done(self) -> bool:
        return self._future.done()

    def when_done(self, call: Callable[[RunningInspection], None]) -> None:
        """Call after the last event, on the same thread; at once if it has already ended."""
        self._future.add_done_callback(lambda record: call(self))

    def cancel(self) -> None:
        """Stop between two tokens; the trajectory so far is the result.

        An inspection that has not begun ends with InspectionCancelled.
        """
        with self._lock:
            if self._ended or self._cancelled_at is not None:
                return
            self._cancelled_at, child = time.monotonic(), self._child
            if child is not None:
                self._send({"type": "cancel"})
                child.wake()
        if child is None:
            self.fail(InspectionCancelled("cancelled before it began"))

    def hold(self) -> None:
        """Pause before the agent's next turn until `go_on`."""
        self._steer({"type": "hold"})

    def go_on(self) -> None:
        self._steer({"type": "go_on"})

    def set_pace(self, look_s: float) -> None:
        """Leave a person this many seconds after each look; 0: as fast as it can."""
        self._steer({"type": "pace", "look_s": look_s})

    def insert(self, interjection: Interjection) -> None:
        """Show the agent a wavelength window or a remark before its next turn."""
        self._steer({"type": "insert", **asdict(interjection)})

    # Called by the client's thread

    def start_in(self, child: ChildProcess, model: ModelRef) -> bool:
        """Send the request to the child; False if it was already cancelled."""
        message = self.request.message(self.number)
        with self._lock:
            if self._cancelled_at is not None:
                return False
            # In one message, so that the agent cannot begin before it receives a "hold".
            child.send(message | {"steering": self._early_steering})
            self._child, self._started_at = child, time.monotonic()
        self.emit(Started(model))
        return True

    def time_limit(self) -> tuple[float, str] | None:
        """When to kill the child, on the monotonic clock, and why."""
        grace, limits = CANCEL_GRACE_S, []
        if self._cancelled_at is not None:
            why = f"did not stop within {grace:g} s of the request to cancel"
            limits.append((self._cancelled_at + grace, why))
        deadline_s = self.request.deadline_s
        if deadline_s is not None:
            why = f"was {grace:g} s over its deadline of {deadline_s:g} s"
            limits.append((self._started_at + deadline_s + grace, why))
        return min(limits, default=None)

    def emit(self, event: Event) -> None:
        try:
            self._on_event(event)
        except Exception:
            # A fault in a listener must not end this inspection or those that wait.
            _log.exception("an event listener failed")

    def finish(self, trajectory: Trajectory) -> None:
        if self._end_once():
            self.emit(Finished(trajectory))
            self._future.set_result(trajectory)

    def fail(self, error: Exception) -> None:
        if self._end_once():
            self.emit(Failed(error))
            self._future.set_exception(error)

    def _end_once(self) -> bool:
        with self._lock:
            first, self._ended = not self._ended, True
            return first

    def _steer(self, message: Message) -> None:
        encode(message)  # raises here, in the caller's thread, if it cannot be sent
        with self._lock:
            if self._ended:
                return
            if self._child is None:
                self._early_steering.append(message)
            else:
                self._send(message)

    def _send(self, message: Message) -> None:
        assert self._child is not None
        self._child.send({**message, "id": self.number})
