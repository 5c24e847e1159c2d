"""The wheel over sliders, boxes and choices scrolls the page and changes nothing."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QScrollArea,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from app.ui.widgets.input_filter import InputFilter


@pytest.fixture
def page(qtbot):
    area = QScrollArea()
    column = QWidget()
    layout = QVBoxLayout(column)
    area.choice, area.slider, area.box = (
        QComboBox(),
        QSlider(Qt.Orientation.Horizontal),
        QDoubleSpinBox(),
    )
    area.choice.addItems(["one", "two", "three"])
    area.slider.setValue(50)
    area.box.setValue(50.0)
    for part in (area.choice, area.slider, area.box):
        layout.addWidget(part)
    layout.addSpacing(2000)
    area.setWidget(column)
    qtbot.addWidget(area)
    area.resize(300, 200)
    with qtbot.waitExposed(area):
        area.show()
    return area


def turn(widget, notches):
    """Turn the wheel over a widget, as a person does who scrolls past it."""
    centre = widget.rect().center()
    for _ in range(abs(notches)):
        event = QWheelEvent(
            centre.toPointF(),
            widget.mapToGlobal(centre).toPointF(),
            QPoint(),
            QPoint(0, 120 if notches > 0 else -120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(widget, event)


def values(page):
    return page.choice.currentIndex(), page.slider.value(), page.box.value()


def test_qt_itself_changes_them(page):
    for part in (page.choice, page.slider, page.box):
        turn(part, -1)
    assert values(page) != (0, 50, 50.0)


def test_with_the_filter_the_page_scrolls_instead(page):
    quiet = InputFilter(page, {})
    for part in (page.choice, page.slider, page.box):
        before = page.verticalScrollBar().value()
        turn(part, -2)
        assert page.verticalScrollBar().value() > before
    assert values(page) == (0, 50, 50.0)
    quiet.deleteLater()
