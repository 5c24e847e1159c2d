"""Progress and cancellation of work in a background thread."""

from __future__ import annotations

import threading
import time

from PySide6.QtCore import QObject, Signal

# A thousand signals per second would block the window.
MIN_INTERVAL_S = 0.05


class LongWork(QObject):
    """The worker thread calls `report` and `should_stop`, the GUI thread everything else."""

    progressed = Signal(int, object)
    """Units done and their total; the total is None if unknown."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stop = threading.Event()
        self._reported_at = 0.0

    def begin(self) -> None:
        self._stop.clear()
        self._reported_at = 0.0

    def stop(self) -> None:
        """Ask the work to stop at its next step, changing nothing."""
        self._stop.set()

    def should_stop(self) -> bool:
        return self._stop.is_set()

    def report(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now - self._reported_at >= MIN_INTERVAL_S:
            self._reported_at = now
            self.progressed.emit(done, total)
