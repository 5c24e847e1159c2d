"""Menu entries show names as they are, and call what they were given without Qt's arguments."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QMenu

from app.ui.widgets.menu_actions import add_action, add_check


@pytest.fixture
def menu(qtbot):
    menu = QMenu()
    qtbot.addWidget(menu)
    return menu


def test_an_entry_calls_without_arguments_and_shows_ampersands(menu):
    called = []
    action = add_action(menu, "Stars & dust", lambda *given: called.append(given))
    assert action.text() == "Stars && dust"  # Qt shows a doubled one as itself
    action.trigger()
    assert called == [()]


def test_a_checked_entry_tells_its_state(menu):
    told = []
    action = add_check(menu, "S/N", True, told.append)
    action.trigger()
    action.trigger()
    assert told == [False, True]
