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


def test_an_area_gives_way_where_room_is_short(qtbot):
    inner, page = QWidget(), QWidget()
    QVBoxLayout(inner).addWidget(wrapped_label("many words that wrap " * 80))
    area, below = PageScrollArea(inner, max_height=200), QWidget()
    below.setMinimumHeight(100)
    column = QVBoxLayout(page)
    column.addWidget(below, 1)
    column.addWidget(area)
    qtbot.addWidget(page)
    page.resize(300, 500)
    with qtbot.waitExposed(page):
        page.show()
    qtbot.waitUntil(lambda: area.height() == 200)
    page.resize(300, 260)
    qtbot.waitUntil(lambda: 100 <= area.height() < 200)
    assert not area.geometry().intersects(below.geometry())
