"""Work with a progress bar and a way to stop it, as the window's thread sees it."""

from __future__ import annotations

import threading
import time

from PySide6.QtCore import QObject, Signal

EVERY_S = 0.05
"""No faster than eyes follow: a window with a thousand signals a second does nothing else."""


class LongWork(QObject):
    """`tell` and `should_stop` are for the thread that works; the rest is the window's."""

    progressed = Signal(int, object)
    """How much is done, and of how much: a number, or None where nobody can tell."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stop = threading.Event()
        self._told_at = 0.0

    def begin(self) -> None:
        self._stop.clear()
        self._told_at = 0.0

    def stop(self) -> None:
        """It ends at its next step, with nothing changed."""
        self._stop.set()

    def should_stop(self) -> bool:
        return self._stop.is_set()

    def tell(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now - self._told_at >= EVERY_S:
            self._told_at = now
            self.progressed.emit(done, total)
