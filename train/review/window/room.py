"""A room: a window of its own beside the main one, with a page of the guide."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

FRAME = QSize(8, 40)  # of a window, beside what is in it


class Room(QWidget):
    closed = Signal()
    help_requested = Signal(str)  # the name of a page

    def __init__(self, help_page: str, size: QSize, place: Path | str = "") -> None:
        super().__init__(None, Qt.WindowType.Window)
        self.place = place
        """Of the pool, so that one is opened once; empty where there may be several."""
        self.resize(size.boundedTo(self.screen().availableSize() - FRAME))
        self.add_key("F1", partial(self.help_requested.emit, help_page))

    def add_key(self, key: str, call: Callable[[], object]) -> None:
        QShortcut(QKeySequence(key), self).activated.connect(call)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()
