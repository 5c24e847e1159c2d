"""How fast a host is asked: evenly spaced, slower after faults, and not at all after many."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from app.services.web.errors import Busy, ServiceError, ShouldStop, Stopped, Unreachable

FAULTS_TO_REST = 5
REST_S = 60.0
FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 60.0
SLICE_S = 0.1


@dataclass
class HostPace:
    """When one host may be asked next; any thread may use it.

    After `FAULTS_TO_REST` faults in a row the host is left alone for a while; then one question
    tries whether it is back.
    """

    per_second: float
    clock: Callable[[], float] = time.monotonic
    wait: Callable[[float], None] = time.sleep
    _next_at: float = 0.0
    _faults: int = 0
    _resting_until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take_turn(self, until: float, should_stop: ShouldStop) -> None:
        """Wait until this host may be asked. Raises Busy, or Stopped."""
        with self._lock:
            now = self.clock()
            if now < self._resting_until:
                rest = self._resting_until - now
                raise Busy(f"not asked: it failed {self._faults} times in a row", rest)
            at = max(self._next_at, now)
            if at > until:
                raise Busy("not asked in time: other questions to this server come first")
            self._next_at = at + 1.0 / self.per_second
        self.pause_until(at, should_stop)

    def pause_until(self, at: float, should_stop: ShouldStop) -> None:
        while True:
            if should_stop():
                raise Stopped
            left = at - self.clock()
            if left <= 0.0:
                return
            self.wait(min(left, SLICE_S))

    def note_success(self) -> None:
        with self._lock:
            self._faults, self._resting_until = 0, 0.0

    def note_fault(self, error: ServiceError) -> None:
        """Count a fault of the host; what it answers wrongly is none of those."""
        if not isinstance(error, Unreachable | Busy):
            return
        with self._lock:
            now = self.clock()
            self._faults += 1
            if isinstance(error, Busy) and error.after_s is not None:
                self._next_at = max(self._next_at, now + min(error.after_s, LONGEST_WAIT_S))
            if self._faults >= FAULTS_TO_REST:
                self._resting_until = now + REST_S


def wait_before_retry(attempt: int, error: ServiceError, draw: random.Random) -> float:
    """Seconds before the next attempt: longer each time, uneven, and as long as the server says."""
    growing = min(FIRST_WAIT_S * 2.0**attempt, LONGEST_WAIT_S)
    asked = error.after_s if isinstance(error, Busy) and error.after_s is not None else 0.0
    return max(min(asked, LONGEST_WAIT_S), growing * draw.uniform(0.5, 1.0))
