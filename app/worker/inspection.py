"""One inspection, for the one who asked: steer it, hear of it, wait for its record."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from agent.inspection.control import Interjection
from agent.trajectory.trajectory import ModelRef, Step, Trajectory
from app.worker.errors import InspectionCancelled
from app.worker.process import ChildProcess
from app.worker.request import InspectRequest
from app.worker.wire import Message, encode

_log = logging.getLogger("app.worker")


@dataclass(frozen=True)
class Started:
    """The model is loaded and the inspection runs."""

    model: ModelRef


@dataclass(frozen=True)
class Spoken:
    """A piece of what the agent says, as it comes."""

    text: str


@dataclass(frozen=True)
class Stepped:
    step: Step


@dataclass(frozen=True)
class Finished:
    trajectory: Trajectory


@dataclass(frozen=True)
class Failed:
    """Its text says what failed and what to try: a WorkerError, unless the program is at fault."""

    error: Exception


Event = Started | Spoken | Stepped | Finished | Failed
OnEvent = Callable[[Event], None]
"""Called on a thread of the worker's client, or on that of `cancel`; Finished or Failed is last."""


def unheard(event: Event) -> None:
    """For those who only want the record."""


class RunningInspection:
    """Waits, runs, has ended. Any thread may steer it; commands after the end do nothing."""

    def __init__(
        self, number: int, request: InspectRequest, on_event: OnEvent, cancel_grace_s: float
    ) -> None:
        self.number = number
        self.request = request
        self._on_event = on_event
        self._cancel_grace_s = cancel_grace_s
        self._record: Future[Trajectory] = Future()
        self._lock = threading.Lock()
        self._child: ChildProcess | None = None
        self._said_before: list[Message] = []
        self._started_at = 0.0
        self._cancelled_at: float | None = None
        self._ended = False

    def result(self, timeout_s: float | None = None) -> Trajectory:
        """The record. Raises WorkerError, or TimeoutError where it takes longer.

        Not from within `on_event`: the thread that calls it brings the result.
        """
        return self._record.result(timeout_s)

    def is_done(self) -> bool:
        return self._record.done()

    def when_done(self, call: Callable[[RunningInspection], None]) -> None:
        """After the last event, on the same thread; at once where it is done already."""
        self._record.add_done_callback(lambda record: call(self))

    def cancel(self) -> None:
        """Stop between two tokens: the record so far is the result.

        Where it has not begun, it never does, and the result is InspectionCancelled.
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
        """Wait before the agent's next turn until `go_on`."""
        self._steer({"type": "hold"})

    def go_on(self) -> None:
        self._steer({"type": "go_on"})

    def insert(self, interjection: Interjection) -> None:
        """Show the agent a window, or tell it a word, before its next turn."""
        self._steer(
            {
                "type": "insert",
                "text": interjection.text,
                "range": interjection.range,
                "label": interjection.label,
            }
        )

    # For the thread that serves it

    def begin(self, child: ChildProcess, model: ModelRef) -> bool:
        """Hand it to the child; False where it was cancelled before."""
        message = self.request.message(self.number)
        with self._lock:
            if self._cancelled_at is not None:
                return False
            # In one message, so that it does not begin to speak before it is told to hold.
            child.send(message | {"steering": self._said_before})
            self._child, self._started_at = child, time.monotonic()
        self.tell(Started(model))
        return True

    def limit(self) -> tuple[float, str] | None:
        """When the child must be ended, on the monotonic clock, and why."""
        grace, limits = self._cancel_grace_s, []
        if self._cancelled_at is not None:
            why = f"did not stop within {grace:g} s of being told to"
            limits.append((self._cancelled_at + grace, why))
        deadline_s = self.request.deadline_s
        if deadline_s is not None:
            why = f"was {grace:g} s over its deadline of {deadline_s:g} s"
            limits.append((self._started_at + deadline_s + grace, why))
        return min(limits, default=None)

    def tell(self, event: Event) -> None:
        try:
            self._on_event(event)
        except Exception:
            # The one who listens is at fault; the inspection goes on, and so do those after it.
            _log.exception("a listener failed at an event of an inspection")

    def finish(self, trajectory: Trajectory) -> None:
        if self._is_first_end():
            self.tell(Finished(trajectory))
            self._record.set_result(trajectory)

    def fail(self, error: Exception) -> None:
        if self._is_first_end():
            self.tell(Failed(error))
            self._record.set_exception(error)

    def _is_first_end(self) -> bool:
        with self._lock:
            first, self._ended = not self._ended, True
            return first

    def _steer(self, message: Message) -> None:
        encode(message)  # what cannot be sent is refused here, not later
        with self._lock:
            if self._ended:
                return
            if self._child is None:
                self._said_before.append(message)
            else:
                self._send(message)

    def _send(self, message: Message) -> None:
        assert self._child is not None
        self._child.send({**message, "id": self.number})
