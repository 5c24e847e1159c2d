"""Widths and sizes grow with the text, up to a limit."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLabel, QLineEdit, QListWidget, QWidget

from app.ui.widgets.text_width import (
    AROUND,
    PADDING_PX,
    DialogSize,
    ListWidth,
    MostWidth,
    PlaceholderWidth,
    TextWidth,
)
from tests.app.ui.steps import shown_in


def resized(label, points):
    font = label.font()
    font.setPointSizeF(points)
    label.setFont(font)


def test_widths_grow_with_the_text(qtbot):
    label = shown_in(qtbot, QLabel("name"))
    resized(label, 10.0)
    TextWidth(label, 200, 400)
    assert label.minimumWidth() == label.maximumWidth() == 200
    resized(label, 15.0)
    assert label.minimumWidth() == label.maximumWidth() == 300
    resized(label, 24.0)
    assert label.maximumWidth() == 400
    resized(label, 8.0)
    assert label.minimumWidth() == 200
    label = shown_in(qtbot, QLabel("name"))
    resized(label, 20.0)
    TextWidth(label, 100, 400, is_fixed=False)
    assert label.minimumWidth() == 200 and label.maximumWidth() > 400
    label = shown_in(qtbot, QLabel("name"))
    resized(label, 20.0)
    MostWidth(label, 100)
    assert label.maximumWidth() == 200


def test_fields_and_lists_hold_their_longest_text(qtbot):
    field = shown_in(qtbot, QLineEdit())
    field.setPlaceholderText("custom flag, Enter")
    width = PlaceholderWidth(field, 40)
    resized(field, 24.0)
    text = field.fontMetrics().horizontalAdvance("custom flag, Enter")
    assert field.minimumWidth() == text + PADDING_PX
    field.setPlaceholderText("")
    width.fit()
    assert field.minimumWidth() == 40
    items = QListWidget()
    items.addItems(["Keys", "Comments and files"])
    ListWidth(items, 60)
    shown_in(qtbot, items)
    resized(items, 24.0)
    assert items.sizeHintForColumn(0) <= items.viewport().width()
    items.clear()
    resized(items, 10.0)
    assert items.width() == 60


def test_a_dialog_grows_with_the_text_but_not_beyond_the_screen(qtbot):
    dialog = QWidget()
    qtbot.addWidget(dialog)
    resized(dialog, 10.0)
    DialogSize(dialog, 300, 200)
    assert dialog.size() == QSize(300, 200)
    resized(dialog, 15.0)
    assert dialog.size() == QSize(450, 300)
    resized(dialog, 200.0)
    assert dialog.size() == dialog.screen().availableSize() - AROUND
