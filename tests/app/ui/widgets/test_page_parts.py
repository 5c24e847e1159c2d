"""Widgets that pages share."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from app.ui.widgets.labels import wrapped_label
from app.ui.widgets.page_parts import PageScrollArea
from tests.app.ui.steps import shown_in


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


def test_what_tab_focuses_from_outside_is_scrolled_into_view(qtbot):
    inner, page = QWidget(), QWidget()
    filler, first, second = QWidget(), QLineEdit(page), QLineEdit(inner)
    filler.setFixedHeight(900)
    for layout, parts in (
        (QVBoxLayout(inner), (filler, second)),
        (QVBoxLayout(page), (first, PageScrollArea(inner))),
    ):
        for part in parts:
            layout.addWidget(part)
    shown_in(qtbot, page, 300, 300)
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Tab)
    qtbot.waitUntil(second.hasFocus)
    assert second.visibleRegion().boundingRect().height() == second.height()
