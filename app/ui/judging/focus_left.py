"""Tells when a line edit that comes and goes has lost the focus.

Qt's `editingFinished` says so only where something was typed, so an untouched line would stay open.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QLineEdit

STAYS = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)
"""Reasons after which the focus comes back: another window, or a menu of the line."""


class FocusLeft(QObject):
    left = Signal()

    def __init__(self, line: QLineEdit) -> None:
        super().__init__(line)
        line.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFocusEvent) and event.lostFocus() and event.reason() not in STAYS:
            # Once the line has had the event itself.
            QTimer.singleShot(0, self, self.left.emit)
        return super().eventFilter(watched, event)
