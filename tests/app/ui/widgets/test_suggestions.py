"""Suggestions and drop-downs show all of their entries."""

import pytest
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QStyle,
    QStyleOptionComboBox,
    QVBoxLayout,
    QWidget,
)

from app.ui.base.theme.style_sheet import apply
from app.ui.base.theme.theme import LIGHT
from app.ui.widgets.suggestions import Suggestions
from tests.app.ui.steps import shown_in


@pytest.fixture(params=[10, 20])
def window(qtbot, restyled, request):
    apply(restyled, LIGHT, request.param)
    window = QWidget()
    window.edit, window.box = QLineEdit(), QComboBox()
    layout = QVBoxLayout(window)
    layout.addWidget(window.edit)
    layout.addWidget(window.box)
    shown_in(qtbot, window)
    yield window
    window.close()


def shows_all(view):
    count = view.model().rowCount()
    last = view.visualRect(view.model().index(count - 1, 0))
    return 0 < last.bottom() <= view.viewport().height()


@pytest.mark.parametrize("count", [2, 7, 12])
def test_the_last_suggestion_is_whole(qtbot, window, count):
    suggestions = Suggestions(window.edit)
    window.edit.setFocus()
    qtbot.waitUntil(window.edit.hasFocus)
    suggestions.show([f"entry {number}" for number in range(count)])
    qtbot.waitUntil(suggestions.popup.isVisible)
    assert shows_all(suggestions.popup)
    suggestions.hide()


@pytest.mark.parametrize("count", [2, 6, 9])
def test_the_last_entry_of_a_drop_down_is_whole(qtbot, window, count):
    window.box.addItems([f"entry {number}" for number in range(count)])
    window.box.showPopup()
    view = window.box.view()
    qtbot.waitUntil(view.isVisible)
    qtbot.waitUntil(lambda: view.width() <= view.window().width())  # it is laid out
    # As a menu it would have arrows to scroll, which cover the last entry.
    option = QStyleOptionComboBox()
    option.initFrom(window.box)
    hint = QStyle.StyleHint.SH_ComboBox_Popup
    assert not window.box.style().styleHint(hint, option, window.box) and shows_all(view)
    window.box.hidePopup()
