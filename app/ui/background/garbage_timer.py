"""Python's garbage is collected between two events of the window, never in the middle of one.

Left to itself Python collects in whichever thread happens to need memory: a widget of ours could go
in a thread that is not the window's, and a key would wait for a search through everything.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 250
YOUNG = 2_000
"""New objects worth a look: of the youngest, a matter of a millisecond."""
ROUNDS = 10
"""Of one age before the next older one is looked at."""


class GarbageTimer(QObject):
    """From its making to `stop`, which gives Python its own way back."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self._tidy)
        self._timer.start()

    def settle(self) -> None:
        """What is there now, modules most of all, stays: it need not be searched ever again."""
        gc.freeze()

    def stop(self) -> None:
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def _tidy(self) -> None:
        young, middle, old = gc.get_count()
        if old > ROUNDS:
            gc.collect(2)
        elif middle > ROUNDS:
            gc.collect(1)
        elif young > YOUNG:
            gc.collect(0)
