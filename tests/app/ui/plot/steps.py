"""What tests of the plot share: what is on screen, and how the mouse moves."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

HALPHA = (6450.0, 6750.0)
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NO, CTRL, SHIFT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)


def shown(panel):
    """Wavelength range on screen."""
    return panel.plot.stage.ranges[0]


def heights(panel):
    """Flux range on screen."""
    return panel.plot.stage.ranges[1]


def on_to(qtbot, context, number):
    context.current.go_to(number)
    qtbot.waitUntil(lambda: context.current.is_painted)


def at(panel, share, height=0.5):
    """A position on the stage, in pixels of the plot."""
    where = panel.plot.stage.geometry()
    x, y = where.left() + share * where.width(), where.top() + height * where.height()
    return QPoint(round(x), round(y))


def drag(widget, start, end, button=LEFT, keys=NO):
    QTest.mousePress(widget, button, keys, start)
    for share in (0.3, 0.7, 1.0):
        between = start + (end - start) * share
        QTest.mouseMove(widget, between)
        QApplication.processEvents()
    QTest.mouseRelease(widget, button, keys, end)
    QApplication.processEvents()


def double_click(widget, position):
    QTest.mouseClick(widget, LEFT, NO, position)
    QTest.mouseDClick(widget, LEFT, NO, position)
    QTest.mouseRelease(widget, LEFT, NO, position)
    QApplication.processEvents()
