"""What the worker's threads tell of an inspection, brought to the window's thread at its pace."""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from agent.engines.base import RESTARTED
from app.worker.inspection import Event, Spoken

PACE_MS = 25
"""A fast model says a thousand words a second; nobody reads more than forty pictures of them."""
MAX_SAID = 50_000
"""Characters between two looks at what was said; of more only the end is kept."""


class EventQueue(QObject):
    """`take` may be called on any thread; `heard` comes on the window's, in the same order."""

    heard = Signal(int, object)
    """The number the listener was made for, and an `Event`."""

    _woken = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._events: list[tuple[int, Event]] = []
        self._timer = QTimer(self, interval=PACE_MS, singleShot=True)
        self._timer.timeout.connect(self.tell)
        self._woken.connect(self._timer.start, Qt.ConnectionType.QueuedConnection)

    def ear(self, number: int) -> Callable[[Event], None]:
        """For `WorkerClient.inspect`."""

        def take(event: Event) -> None:
            with self._lock:
                is_first = not self._events
                self._add(number, event)
            if is_first:
                self._woken.emit()

        return take

    def tell(self) -> None:
        """All that has come until now."""
        with self._lock:
            events, self._events = self._events, []
        for number, event in events:
            self.heard.emit(number, event)

    def _add(self, number: int, event: Event) -> None:
        """Words behind words become one piece: a new beginning voids what was said before it."""
        if isinstance(event, Spoken) and event.text != RESTARTED and self._events:
            before, last = self._events[-1]
            if before == number and isinstance(last, Spoken) and last.text != RESTARTED:
                self._events[-1] = number, Spoken((last.text + event.text)[-MAX_SAID:])
                return
        self._events.append((number, event))
