"""A window with keys."""

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.app.ui.base.keys.key_window import KeyWindow
from tests.app.ui.steps import activated


@pytest.fixture
def window(qtbot):
    window = KeyWindow()
    qtbot.addWidget(window)
    window.resize(1280, 720)
    window.show()
    activated(qtbot, window)
    window.plot.setFocus()
    yield window
    window.stop_keys()


Key = Qt.Key
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
CTRL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
KEYPAD = Qt.KeyboardModifier.KeypadModifier


def focus(window, name):
    widget = getattr(window, name)
    widget.setFocus()
    assert QApplication.focusWidget() is widget
    return widget


def press(window, key, modifiers=NONE):
    """Press a key as the window system does: the window passes it to the focused widget."""
    QTest.keyClick(window.windowHandle(), key, modifiers)


def send(kind, key, text="", repeat=False, modifiers=NONE):
    event = QKeyEvent(kind, key, modifiers, text, repeat)
    QCoreApplication.sendEvent(QApplication.focusWidget(), event)
