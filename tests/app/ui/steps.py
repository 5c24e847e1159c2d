"""Steps that tests of the window share."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from app.ui.session_context import SessionContext


def show_painted(qtbot, context: SessionContext, number: int = 1) -> None:
    """Show a candidate and note its spectrum as painted, as the plot does."""
    current = context.current
    if current.candidate is None or current.candidate.id != number:
        current.go_to(number)
    painted(qtbot, context, number)


def painted(qtbot, context: SessionContext, number: int) -> None:
    current = context.current
    qtbot.waitUntil(
        lambda: (
            current.candidate is not None
            and current.candidate.id == number
            and current.spectrum is not None
        )
    )
    current.note_painted(number)


def shown_in(qtbot, widget, width: int = 640, height: int = 480):
    """Show the widget in an active window, with nothing focused."""
    qtbot.addWidget(widget)
    widget.resize(width, height)
    widget.show()
    widget.activateWindow()
    qtbot.waitExposed(widget)
    return widget


def let_go(qtbot, button=Qt.MouseButton.LeftButton):
    """Let go of a button that a double click of QTest leaves pressed; a field takes it silently."""
    field = QLineEdit()
    qtbot.addWidget(field)
    QTest.mouseRelease(field, button)
