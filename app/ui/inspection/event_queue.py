"""Passes inspection events from worker threads to the GUI thread, a few times per second."""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from agent.engines.base import RESTARTED
from app.worker.inspection import Event, TextGenerated

# A fast model emits a thousand tokens per second; repainting for each would block the window.
INTERVAL_MS = 25
MAX_TEXT = 50_000
"""Characters of one merged text event; only the end of a longer one is kept."""


class EventQueue(QObject):
    """Listeners may be called on any thread; `received` is emitted in order on the GUI thread."""

    received = Signal(int, object)
    """The listener's number and an `Event`."""

    _event_added = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._events: list[tuple[int, Event]] = []
        self._timer = QTimer(self, interval=INTERVAL_MS, singleShot=True)
        self._timer.timeout.connect(self.deliver)
        self._event_added.connect(self._timer.start, Qt.ConnectionType.QueuedConnection)

    def listener(self, number: int) -> Callable[[Event], None]:
        def add(event: Event) -> None:
            with self._lock:
                is_first = not self._events
                self._add(number, event)
            if is_first:
                self._event_added.emit()

        return add

    def deliver(self) -> None:
        """Emit all waiting events now."""
        with self._lock:
            events, self._events = self._events, []
        for number, event in events:
            self.received.emit(number, event)

    def _add(self, number: int, event: Event) -> None:
        # Consecutive texts become one event; RESTARTED stays separate as it voids earlier text.
        if isinstance(event, TextGenerated) and event.text != RESTARTED and self._events:
            before, last = self._events[-1]
            if before == number and isinstance(last, TextGenerated) and last.text != RESTARTED:
                self._events[-1] = number, TextGenerated((last.text + event.text)[-MAX_TEXT:])
                return
        self._events.append((number, event))
