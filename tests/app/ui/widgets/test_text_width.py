"""A width grows with the text, up to a limit."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from app.ui.widgets.text_width import TextWidth
from tests.app.ui.steps import shown_in


def resized(label, points):
    font = label.font()
    font.setPointSizeF(points)
    label.setFont(font)


def test_it_grows_with_the_text_and_not_without_end(qtbot):
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


def test_a_least_width_leaves_room_to_grow(qtbot):
    label = shown_in(qtbot, QLabel("name"))
    resized(label, 20.0)
    TextWidth(label, 100, 400, is_fixed=False)
    assert label.minimumWidth() == 200 and label.maximumWidth() > 400
