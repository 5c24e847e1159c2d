"""One filter hands the events of each class to one handler; others it leaves alone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from app.ui.widgets.input_filter import InputFilter


@pytest.fixture
def field(qtbot):
    field = QLineEdit()
    qtbot.addWidget(field)
    with qtbot.waitExposed(field):
        field.show()
    return field


def note(seen, answer):
    def handle(watched, event):
        seen.append((watched, event.type()))
        return answer

    return handle


def test_a_handler_gets_the_events_of_its_class_alone(field):
    keys, presses = [], []
    handlers = {QKeyEvent: note(keys, False), QMouseEvent: note(presses, False)}
    closing = InputFilter(field, handlers)
    QTest.keyClick(field, Qt.Key.Key_A)
    assert {watched for watched, _ in keys} == {field} and not presses
    QTest.mouseClick(field, Qt.MouseButton.LeftButton)
    assert QMouseEvent.Type.MouseButtonPress in {kind for _, kind in presses}
    assert field.text() == "a"
    closing.close()


def test_a_handler_may_keep_the_event_from_the_widget(field):
    closing = InputFilter(field, {QKeyEvent: note([], True)})
    QTest.keyClick(field, Qt.Key.Key_A)
    assert field.text() == ""
    closing.close()
    QTest.keyClick(field, Qt.Key.Key_A)
    assert field.text() == "a"
