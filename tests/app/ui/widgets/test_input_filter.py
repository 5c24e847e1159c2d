"""One filter hands events of each class to one handler; the wheel changes no slider and no box."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QScrollArea,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from app.ui.widgets.input_filter import InputFilter
from tests.app.ui.steps import shown_in, turn_wheel


@pytest.fixture
def field(qtbot):
    return shown_in(qtbot, QLineEdit())


def note(seen, answer):
    def handle(watched, event):
        seen.append((watched, event.type()))
        return answer

    return handle


def test_handlers_get_the_events_of_their_class_and_may_keep_them(field):
    keys, presses = [], []
    handlers = {QKeyEvent: note(keys, False), QMouseEvent: note(presses, False)}
    closing = InputFilter(field, handlers)
    QTest.keyClick(field, Qt.Key.Key_A)
    assert {watched for watched, _ in keys} == {field} and not presses
    QTest.mouseClick(field, Qt.MouseButton.LeftButton)
    assert QMouseEvent.Type.MouseButtonPress in {kind for _, kind in presses}
    assert field.text() == "a"
    closing.close()
    field.clear()
    closing = InputFilter(field, {QKeyEvent: note([], True)})
    QTest.keyClick(field, Qt.Key.Key_A)
    assert field.text() == ""
    closing.close()
    QTest.keyClick(field, Qt.Key.Key_A)
    assert field.text() == "a"


@pytest.fixture
def page(qtbot):
    area = QScrollArea()
    column = QWidget()
    layout = QVBoxLayout(column)
    area.choice, area.box = QComboBox(), QDoubleSpinBox(value=50.0)
    area.slider = QSlider(Qt.Orientation.Horizontal, value=50)
    area.choice.addItems(["one", "two", "three"])
    for part in (area.choice, area.slider, area.box):
        layout.addWidget(part)
    layout.addSpacing(2000)
    area.setWidget(column)
    shown_in(qtbot, area, 300, 200)
    return area


def values(page):
    return page.choice.currentIndex(), page.slider.value(), page.box.value()


def test_with_the_filter_the_wheel_scrolls_the_page_and_changes_nothing(page):
    quiet = InputFilter(page, {})
    for part in (page.choice, page.slider, page.box):
        before = page.verticalScrollBar().value()
        turn_wheel(part, -2)
        assert page.verticalScrollBar().value() > before
    assert values(page) == (0, 50, 50.0)
    quiet.deleteLater()
