"""The wheel scrolls what is below the mouse and changes no value on its way.

By default Qt turns sliders, boxes and choices over which the mouse happens to be.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QScrollBar,
    QWidget,
)

_WHEEL = QEvent.Type.Wheel


class QuietWheel(QObject):
    """Application-wide event filter."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        application = QApplication.instance()
        assert application is not None
        application.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != _WHEEL or isinstance(watched, QScrollBar):
            return False
        if not isinstance(watched, QAbstractSlider | QAbstractSpinBox | QComboBox):
            return False
        around = watched.parentWidget()
        while around is not None and not isinstance(around, QAbstractScrollArea):
            around = around.parentWidget()
        if around is not None:
            QApplication.sendEvent(around.viewport(), event)
        return True
