"""Widgets that pages share."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.widgets.labels import wrapped_label
from app.ui.widgets.page_parts import PageScrollArea


def test_nothing_is_squeezed_where_words_wrap(qtbot):
    label = wrapped_label("many words that wrap " * 40)
    inner = QWidget()
    QVBoxLayout(inner).addWidget(label)
    area = PageScrollArea(inner, max_height=500)
    qtbot.addWidget(area)
    area.resize(200, 100)
    with qtbot.waitExposed(area):
        area.show()
    qtbot.waitUntil(lambda: label.height() >= label.heightForWidth(label.width()))
    assert area.height() <= 500
