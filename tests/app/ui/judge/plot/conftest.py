"""A spectrum panel on the screen, with the first candidate painted."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.core.session.records import Verdict
from app.ui.base.keys.key_filter import KeyFilter
from app.ui.base.keys.keymap import Keymap
from app.ui.judge.plot.plot_actions import PlotActions
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.widgets.input_filter import InputFilter
from tests.app.ui.steps import shown_in


@pytest.fixture
def panel(qtbot, context) -> SpectrumPanel:
    made = SpectrumPanel(context)
    PlotActions(made, context)
    shown_in(qtbot, made, 900, 640)
    context.current.start()
    qtbot.waitUntil(lambda: context.current.is_painted)
    return made


@pytest.fixture
def keys(context, panel):
    """The real keys of the window."""
    context.commands.add("next", context.current.next)
    context.commands.add("accept", lambda: context.current.judge(Verdict.ACCEPT))
    made = KeyFilter(context.commands, Keymap(context.settings), panel, panel.setFocus)
    input_filter = InputFilter(panel, made.handlers)
    yield made
    input_filter.close()
    made.close()


HALPHA = (6450.0, 6750.0)
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NO = Qt.KeyboardModifier.NoModifier


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
