"""The reviewer's name, changed in place."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.ui.settings.settings_store import SettingsStore
from app.ui.widgets.reviewer_name import ReviewerName
from tests.app.ui.steps import shown_in


@pytest.fixture
def settings(qapp):
    made = SettingsStore()
    made.change(reviewer="Ada")
    return made


@pytest.mark.parametrize(
    ("key", "name"), [(Qt.Key.Key_Return, "Li Wei"), (Qt.Key.Key_Escape, "Ada")]
)
def test_enter_saves_and_escape_cancels(qtbot, settings, key, name):
    shown = shown_in(qtbot, ReviewerName(settings), 400, 40)
    assert shown.name.text() == "Ada" and not shown.field.isVisible()
    qtbot.mouseClick(shown.button, Qt.MouseButton.LeftButton)
    assert shown.field.text() == "Ada" and not shown.name.isVisible()
    qtbot.keyClicks(shown.field, " Li  Wei ")
    qtbot.keyClick(shown.field, key)
    assert (settings.settings.reviewer, shown.name.text()) == (name, name)
    assert not shown.field.isVisible()


def test_the_button_saves_too(qtbot, settings):
    shown = shown_in(qtbot, ReviewerName(settings), 400, 40)
    qtbot.mouseClick(shown.button, Qt.MouseButton.LeftButton)
    assert shown.button.text() == "Save"
    qtbot.keyClicks(shown.field, "Grace")
    qtbot.mouseClick(shown.button, Qt.MouseButton.LeftButton)
    assert settings.settings.reviewer == "Grace" and shown.button.text() == "Change"
