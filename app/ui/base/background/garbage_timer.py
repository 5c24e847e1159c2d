"""Collects Python's garbage from a timer on the GUI thread.

By default Python collects in whichever thread allocates memory: a widget could then be deleted
outside the GUI thread, and a full collection could delay a key press.
"""

import gc

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 250
YOUNG = 2_000
"""New objects that start a collection of the youngest generation, which takes about 1 ms."""
ROUNDS = 10  # collections of one generation before the next older one is collected


class GarbageTimer(QObject):
    """Replaces Python's automatic collection until `stop`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self._collect)
        self._timer.start()

    def freeze(self) -> None:
        """Exclude all present objects, mostly modules, from future collections."""
        gc.freeze()

    def stop(self) -> None:
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def _collect(self) -> None:
        young, middle, old = gc.get_count()
        if old > ROUNDS:
            gc.collect(2)
        elif middle > ROUNDS:
            gc.collect(1)
        elif young > YOUNG:
            gc.collect(0)
