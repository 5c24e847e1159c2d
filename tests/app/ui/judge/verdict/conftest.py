"""The parts of the window that judge, on a session."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.base.keys.key_filter import KeyFilter
from app.ui.judge.verdict.fields.fields_row import ExtraKeys, FieldsRow
from app.ui.judge.verdict.key_strip import KeyStrip, SubclassKeys
from app.ui.judge.verdict.verdict_bar import CommentBox, VerdictBar
from app.ui.session.session_context import SessionContext
from app.ui.widgets.input_filter import InputFilter
from tests.app.ui.steps import painted, shown_in, start_over


@pytest.fixture
def bar(qtbot, context):
    return shown_in(qtbot, VerdictBar(context), 760, 110)


@pytest.fixture
def box(qtbot, context):
    return shown_in(qtbot, CommentBox(context), 640, 40)


@pytest.fixture
def desk(qtbot, context):
    """The parts that judge, with their keys, on the first candidate."""
    desk = shown_in(qtbot, Desk(context), 900, 400)
    qtbot.waitUntil(desk.isActiveWindow)
    desk.plot.setFocus()
    context.current.go_to(1)
    yield desk
    desk.stop_keys()


NONE = Qt.KeyboardModifier.NoModifier


class Desk(QWidget):
    """`smoothed` counts presses that came through to an action of the view, here D."""

    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self.context = context
        self.smoothed = 0
        self.plot = QWidget(self, focusPolicy=Qt.FocusPolicy.StrongFocus)
        self.strip = KeyStrip(context.current_theme, self.plot)
        self.subclasses = SubclassKeys(context, self.strip, self)
        self.fields = FieldsRow(context, self.strip, self)
        self.bar = VerdictBar(context, self)
        layout = QVBoxLayout(self)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.fields)
        layout.addWidget(self.bar)
        context.commands.key_taker = ExtraKeys(self.strip, self.fields)
        context.commands.add("smooth_less", self._smooth)
        context.commands.add("escape", lambda: None)
        self.filter = KeyFilter(context.commands, context.keymap, self, self.plot.setFocus)
        self.input = InputFilter(self, self.filter.handlers)

    def _smooth(self) -> None:
        self.smoothed += 1

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
        """Press a key as the window system does."""
        QTest.keyClick(self.windowHandle(), key, modifiers)

    def accept(self, qtbot, number: int) -> None:
        """Look at a candidate and press A; the next one is then drawn."""
        painted(qtbot, self.context, number)
        self.press(Qt.Key.Key_A)
        painted(qtbot, self.context, number + 1)

    def start_over(self, qtbot) -> None:
        """Nothing judged, the first candidate on the plot, no strip of keys."""
        self.press(Qt.Key.Key_Escape)
        start_over(qtbot, self.context)
        self.smoothed = 0

    def stop_keys(self) -> None:
        self.input.close()
        self.filter.close()
