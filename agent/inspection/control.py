"""Lets a person steer a running inspection: cancel, pause, add a window or a remark."""

import threading
import time
from collections import deque
from dataclasses import dataclass

from agent.child_process.turn_taking import waiting


@dataclass(frozen=True, kw_only=True)
class Interjection:
    """A person's remark, window to look at, or both."""

    text: str = ""
    range: tuple[float, float] | None = None
    label: str = ""


class Control:
    """Steering of one inspection; all methods may be called from any thread."""

    def __init__(self, deadline_s: float | None = None) -> None:
        self.deadline_s = deadline_s
        self._deadline = None if deadline_s is None else time.monotonic() + deadline_s
        self._changed = threading.Condition()
        self.is_cancelled = False
        self._paused = False
        self._look_s = 0.0
        self._interjections: deque[Interjection] = deque()

    def cancel(self) -> None:
        """Stop the inspection, even in the middle of a turn."""
        with self._changed:
            self.is_cancelled = True
            self._changed.notify_all()

    def pause(self) -> None:
        """Make the inspection wait before the agent's next turn until `resume`."""
        with self._changed:
            self._paused = True
            self._changed.notify_all()

    def resume(self) -> None:
        with self._changed:
            self._paused = False
            self._changed.notify_all()

    def set_pace(self, look_s: float) -> None:
        """Give a person this many seconds for each look before the agent's next turn."""
        with self._changed:
            self._look_s = look_s
            self._changed.notify_all()

    def insert(self, interjection: Interjection) -> None:
        """Queue an interjection, to be shown to the agent before its next turn."""
        with self._changed:
            self._interjections.append(interjection)
            self._changed.notify_all()

    def should_stop(self) -> bool:
        return self.is_cancelled or self.is_past_deadline

    @property
    def is_past_deadline(self) -> bool:
        return self._deadline is not None and time.monotonic() >= self._deadline

    def next_interjection(self) -> Interjection | None:
        """Remove and return the oldest queued interjection, or None."""
        with self._changed:
            return self._interjections.popleft() if self._interjections else None

    def pace(self) -> None:
        """After a look, block for as long as the pace says; whatever a person does ends the wait.

        A slower pace set meanwhile does not lengthen it, a faster one ends it.
        """
        if not self._look_s:
            return
        started = time.monotonic()
        with waiting(), self._changed:
            look_s = self._look_s
            while not (self._paused or self._interjections or self.is_cancelled):
                ends = started + min(look_s, self._look_s)
                if self._deadline is not None:
                    ends = min(ends, self._deadline)
                left = ends - time.monotonic()
                if left <= 0:
                    return
                self._changed.wait(left)

    def wait_while_paused(self) -> None:
        """Block while paused; an interjection, cancelling and the deadline end the wait."""
        if not self._paused:
            return
        with waiting(), self._changed:
            while self._paused and not self._interjections and not self.is_cancelled:
                left = None if self._deadline is None else self._deadline - time.monotonic()
                if left is not None and left <= 0:
                    return
                self._changed.wait(left)
