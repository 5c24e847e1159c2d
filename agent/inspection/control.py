"""How a person steers an inspection that runs: stop, hold, look here, a word in between."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Interjection:
    """What the person puts in: a remark, a window to look at, or a window with a remark."""

    text: str = ""
    range: tuple[float, float] | None = None
    label: str = ""


class Control:
    """Shared by the thread that inspects and the one that steers."""

    def __init__(self, deadline_s: float | None = None) -> None:
        self.deadline_s = deadline_s
        self._deadline = None if deadline_s is None else time.monotonic() + deadline_s
        self._changed = threading.Condition()
        self._cancelled = False
        self._held = False
        self._inserted: deque[Interjection] = deque()

    def cancel(self) -> None:
        """Stop between two tokens."""
        with self._changed:
            self._cancelled = True
            self._changed.notify_all()

    def hold(self) -> None:
        """Wait before the agent's next turn until `go_on`."""
        with self._changed:
            self._held = True

    def go_on(self) -> None:
        with self._changed:
            self._held = False
            self._changed.notify_all()

    def insert(self, interjection: Interjection) -> None:
        """Shown to the agent before its next turn, in the order given."""
        with self._changed:
            self._inserted.append(interjection)
            self._changed.notify_all()

    def should_stop(self) -> bool:
        return self._cancelled or self.is_late

    @property
    def is_cancelled(self) -> bool:
        return self._cancelled

    @property
    def is_late(self) -> bool:
        return self._deadline is not None and time.monotonic() >= self._deadline

    def take(self) -> Interjection | None:
        """What was put in next; None where there is nothing."""
        with self._changed:
            return self._inserted.popleft() if self._inserted else None

    def wait_while_held(self) -> None:
        """Come back when the agent may speak, something was put in, or it is time to stop."""
        with self._changed:
            while self._held and not self._inserted and not self._cancelled:
                left = None if self._deadline is None else self._deadline - time.monotonic()
                if left is not None and left <= 0:
                    return
                self._changed.wait(left)
