"""The longest turn of the window's event loop, while something is going on."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer

TICK_MS = 5
MOST_MS = 50.0


class Turns:
    """In time of the window's own thread, and by the clock.

    What other programs take from a busy machine counts by the clock only.
    """

    def __init__(self) -> None:
        self.longest_ms = self.longest_by_clock_ms = 0.0
        self._last, self._last_by_clock = time.thread_time(), time.perf_counter()
        self._timer = QTimer(interval=TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def stop(self) -> float:
        """Returns the time of the thread."""
        self._timer.stop()
        return self.longest_ms

    def _tick(self) -> None:
        now, clock = time.thread_time(), time.perf_counter()
        self.longest_ms = max(self.longest_ms, 1000.0 * (now - self._last))
        by_clock = 1000.0 * (clock - self._last_by_clock)
        self.longest_by_clock_ms = max(self.longest_by_clock_ms, by_clock)
        self._last, self._last_by_clock = now, clock
