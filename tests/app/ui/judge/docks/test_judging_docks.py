"""The docks of the judging page: hidden by keys, moved, kept; narrow windows fold the queue."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.ui.base.settings.settings_store import SettingsStore
from app.ui.judge.docks import dock_area
from app.ui.judge.docks.dock_table import RIGHT, DockEntry
from tests.app.ui.steps import click
from tests.app.ui.whole_window import LEFT, before_window

Key = Qt.Key
WIDE, SMALL = (1800, 1000), (1280, 700)


@pytest.fixture
def person(person):
    person.window.resize(*WIDE)
    person.wait(lambda: person.window.width() == WIDE[0])
    return person


def shown(person):
    return {name for name, dock in person.view.judging.docks.items() if dock.isVisible()}


def test_docks_are_hidden_by_key_or_menu_float_and_come_back(person):
    judging = person.view.judging
    before, width = shown(person), judging.docks["queue"].width()
    assert before >= {"queue", "windows", "agent"}
    person.press("/")  # the focus may be in what is about to go
    person.press(Key.Key_Escape)
    person.press("h")
    assert shown(person) == {"windows"}
    person.press("a", sees=2)
    person.press(Key.Key_Escape)  # the keys of sub-classes
    person.press("h")
    assert shown(person) == set()
    person.press("v")
    assert shown(person) == set()
    person.press("h")
    assert shown(person) == before
    guideline, agent = judging.docks["guideline"], judging.docks["agent"]
    guideline.raise_()
    person.wait(lambda: guideline.is_seen() and not agent.is_seen())
    person.press("v")
    person.wait(lambda: agent.is_seen() and not guideline.is_seen())
    person.wait(lambda: judging.docks["queue"].width() == width)
    assert person.verdicts() == {1: "ACCEPT"}
    menus = person.window.menu_row
    menus._fill()
    entries = {each.text(): each for each in menus._panels.actions()}
    panels = {"Queue", "Windows", "Agent", "Guideline", "Object", "Evidence", "Similar spectra"}
    assert panels == set(entries)
    entries["Windows"].trigger()
    assert "windows" not in shown(person)
    dock = judging.docks["guideline"]
    dock.setFloating(True)
    assert dock.titleBarWidget() is None
    dock.setFloating(False)
    assert dock.titleBarWidget() is not None
    dock.hide()
    person.window.commands.run("reset_panels")
    assert not dock.isHidden() and shown(person) >= {"queue", "windows", "agent"}


def test_on_a_small_window_the_queue_slides_over_the_plot(qtbot, person):
    judging = person.view.judging
    person.window.resize(*SMALL)
    person.wait(judging.dock_area.queue_button.isVisible)
    assert "queue" not in shown(person) and not judging.docks["queue"].part.isVisible()
    plot = judging.plot.width()
    click(qtbot, judging.dock_area.queue_button)
    assert judging.docks["queue"].part.isVisible() and judging.plot.width() == plot
    qtbot.mouseClick(judging.plot.plot.viewport(), LEFT)
    assert not judging.docks["queue"].part.isVisible()
    person.press("q")
    assert judging.docks["queue"].part.isVisible()
    person.press(Key.Key_Escape)
    assert not judging.docks["queue"].part.isVisible()
    person.press("/")
    assert judging.docks["queue"].part.isVisible()
    person.wait(judging.docks["queue"].part.finder.edit.hasFocus)
    person.window.resize(*WIDE)
    person.wait(lambda: "queue" in shown(person))
    assert judging.docks["queue"].widget() is judging.docks["queue"].part
    assert not judging.dock_area.queue_button.isVisible()
    person.window.resize(*SMALL)
    person.wait(lambda: person.view.judging.dock_area.queue_button.isVisible())
    assert person.view.judging.verdicts.height() <= 42


def test_a_dock_is_added_with_one_entry(qtbot, place, monkeypatch):
    notes = DockEntry("notes", "Notes", lambda _: QLabel("of mine"), RIGHT)
    monkeypatch.setattr(dock_area, "DOCKS", (*dock_area.DOCKS, notes))
    store = SettingsStore()
    with before_window(qtbot, place, store) as person:
        judging, dock = person.view.judging, person.view.judging.docks["notes"]
        assert dock in judging.dock_area.dock_window.tabifiedDockWidgets(judging.docks["agent"])
        assert "Notes" in {each.text() for each in judging.dock_area.panel_actions()}
        judging.dock_area.show_dock("notes")
        person.wait(dock.part.isVisible)
        person.press("h")
        assert not dock.isVisible()
        person.press("h")
        person.press("h")
        person.wait(dock.part.isVisible)
        dock.setFloating(True)
    with before_window(qtbot, place, store) as person:
        assert person.view.judging.docks["notes"].isFloating()
        person.window.commands.run("reset_panels")
        assert not person.view.judging.docks["notes"].isFloating()


def test_they_are_where_they_were_left(qtbot, place):
    store = SettingsStore()
    with before_window(qtbot, place, store) as person:
        person.window.resize(*WIDE)
        person.wait(lambda: person.window.width() == WIDE[0])
        person.view.judging.docks["windows"].hide()
        person.view.judging.docks["guideline"].raise_()
    with before_window(qtbot, place, store) as person:
        person.window.resize(*WIDE)
        person.wait(lambda: "guideline" in shown(person))
        assert "windows" not in shown(person)
