"""The wheel scrolls what is below the mouse and changes no value on its way.

By default Qt turns sliders, boxes and choices over which the mouse happens to be.
"""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QScrollBar,
)


def scroll_page(watched: QObject, event: QWheelEvent) -> bool:
    """Handle the wheel, as a part of `InputFilter`."""
    if isinstance(watched, QScrollBar):
        return False
    if not isinstance(watched, QAbstractSlider | QAbstractSpinBox | QComboBox):
        return False
    around = watched.parentWidget()
    while around is not None and not isinstance(around, QAbstractScrollArea):
        around = around.parentWidget()
    if around is not None:
        QApplication.sendEvent(around.viewport(), event)
    return True
