"""The class in the title of the plot says what is judged, and leads to another class."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from agent.tasks.catalogue import look_task
from app.core.session.session import new_session
from app.ui.plot.class_button import ClassButton
from tests.app.ui.conftest import opened_context
from tests.app.ui.steps import shown_in


@pytest.fixture
def ran(context):
    found = []
    for name in ("other_class", "show_guideline"):
        context.commands.add(name, lambda name=name: found.append(name))
    return found


def texts(button):
    return [each.text() for each in button.menu().actions() if each.text()]


def test_the_menu_says_what_is_asked_and_that_it_stays(qtbot, context, ran):
    button = shown_in(qtbot, ClassButton(context), 120, 30)
    assert button.text() == "CV" and button.toolTip() == "Cataclysmic variables"
    assert texts(button)[0] == "Is this the spectrum of a cataclysmic variable?"
    assert "keeps its class" in texts(button)[-1]
    click_entry(qtbot, button, "Judge this list for another class")
    click_entry(qtbot, button, "Show the guideline")
    assert ran == ["other_class", "show_guideline"]


def test_without_a_class_one_can_be_chosen(qtbot, tmp_path):
    with (
        new_session(tmp_path / "look.speco3", look_task(), "Ada") as session,
        opened_context(session) as context,
    ):
        found = []
        context.commands.add("other_class", lambda: found.append("other_class"))
        button = shown_in(qtbot, ClassButton(context), 120, 30)
        assert button.text() == "No class"
        assert texts(button) == ["Nothing is judged here", "Choose a class to judge"]
        click_entry(qtbot, button, "Choose a class to judge")
        assert found == ["other_class"]


def click_entry(qtbot, button, text):
    menu = button.menu()
    entry = next(each for each in menu.actions() if each.text() == text)
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
    qtbot.waitUntil(menu.isVisible)
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(entry).center())
    qtbot.waitUntil(lambda: not menu.isVisible())
