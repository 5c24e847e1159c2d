"""The agent, the comparison and the export of what is selected in the overview."""

import csv

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.core.inspections.store import inspections_of
from app.core.session.session import open_session
from tests.app.ui.candidates import sample_file
from tests.app.ui.judge.overview.test_overview_page import (
    click,
    drawn,
    messages_of,
    overview,
    page,
    select,
)
from tests.app.ui.whole_window import CTRL, LEFT, SHIFT, before_window

__all__ = ["page"]
pytestmark = pytest.mark.usefixtures("scripted_window")


def inspected(person):
    numbers = range(1, person.session.count() + 1)
    return {number for number in numbers if inspections_of(person.session, number)}


def opened_menu(person, page, row):
    """The entries after a right click on this row."""
    viewport = page.sheet.viewport()
    at = page.sheet.visualRect(page.model.index(row, 0)).center()
    QTest.mousePress(viewport, Qt.MouseButton.RightButton, pos=at)
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(viewport, QContextMenuEvent(reason, at, viewport.mapToGlobal(at)))
    person.wait(page.row_menu.menu.isVisible)
    QTest.mouseRelease(viewport, Qt.MouseButton.RightButton, pos=at)
    return {each.text(): each for each in page.row_menu.menu.actions() if each.text()}


def choose(page, entry):
    menu = page.row_menu.menu
    QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(entry).center())


def press(person, button):
    person.wait(button.isEnabled)
    QTest.mouseClick(button, LEFT)


def test_the_agent_inspects_only_the_selected_and_each_once(person, page):
    run = person.view.context.agent.list_run
    select(person, page, 1, 4, 5)
    press(person, page.tools.run)
    person.wait(lambda: page.tools.run.text() == "Stop the agent")
    person.wait(lambda: not run.state.is_running)
    assert (run.state.done, run.state.left, run.state.is_of_selected) == (3, 0, True)
    assert inspected(person) == {2, 5, 6} and person.verdicts() == {}
    told = messages_of(person)
    click(person, page, 5)
    click(person, page, 4, SHIFT)
    assert page.tools.run.text() == "Run the agent"
    press(person, page.tools.run)
    person.wait(lambda: told)
    assert "Nothing to do" in told[0] and inspected(person) == {2, 5, 6}


def test_the_run_is_stopped_where_it_was_started(person, page):
    run = person.view.context.agent.list_run
    page.sheet.setFocus()
    person.press(Qt.Key.Key_A, CTRL)
    press(person, page.tools.run)
    person.wait(lambda: run.state.done >= 1)
    assert "Run the agent on the 12 selected" not in opened_menu(person, page, 3)
    page.row_menu.menu.close()
    press(person, page.tools.run)
    person.wait(lambda: not run.state.is_running)
    assert 1 <= len(inspected(person)) < 12 and page.tools.run.text() == "Run the agent"


def test_blind_mode_stays_blind(person, page):
    person.current.blind_mode.set_on(True)
    select(person, page, 2, 3)
    choose(page, opened_menu(person, page, 2)["Run the agent on the 2 selected"])
    person.wait(lambda: inspected(person) == {3, 4})
    person.wait(lambda: not person.view.context.agent.list_run.state.is_running)
    assert person.current.blind_mode.is_on


def test_two_are_compared_on_the_judging_page(person, page):
    comparison = person.view.judging.comparison
    comparison.keep(True)
    comparison.add(person.session.candidate(9))
    person.wait(lambda: comparison.compared)
    select(person, page, 6, 3, 4)
    choose(page, opened_menu(person, page, 4)["Compare the 3 selected"])
    person.wait(lambda: person.view.page == "judging_page")
    person.sees(4)
    person.wait(lambda: [each.candidate.id for each in comparison.compared] == [5, 7])
    assert [each.slot for each in comparison.compared] == [0, 1]
    person.press(Qt.Key.Key_5, CTRL)  # once more, with that on screen as the first
    click(person, page, 3)
    click(person, page, 4, CTRL)
    press(person, page.tools.compare)
    person.wait(lambda: [each.candidate.id for each in comparison.compared] == [5])
    assert person.number == 4


def test_one_that_cannot_be_read_is_told(person, page):
    with person.session.database.writing() as connection:
        connection.exec_driver_sql("UPDATE candidates SET path = '/nowhere/5.fits' WHERE id = 5")
    page.loader.show(person.current.queue)
    person.wait(lambda: page.model.blocks.row(11) is not None)
    told = messages_of(person)
    select(person, page, 3, 4, 5)
    press(person, page.tools.compare)
    comparison = person.view.judging.comparison
    person.wait(lambda: [each.candidate.id for each in comparison.compared] == [6])
    assert told[-1] == "Not compared, as they cannot be read: 1"


def test_two_to_six_are_compared_or_a_row_with_the_current_spectrum(person, page):
    for last, can in [(0, False), (1, True), (5, True), (6, False)]:
        click(person, page, 0)
        click(person, page, last, SHIFT)
        assert page.tools.compare.isEnabled() == can
        assert page.tools.export.isEnabled() == page.tools.run.isEnabled() == (last > 0)
        entries = opened_menu(person, page, 0)
        page.row_menu.menu.close()
        assert (f"Compare the {last + 1} selected" in entries) == can
        assert "Copy the name" in entries
    choose(page, opened_menu(person, page, 5)["Compare with the current spectrum"])
    comparison = person.view.judging.comparison
    person.wait(lambda: [each.candidate.id for each in comparison.compared] == [6])
    assert person.view.page == "judging_page" and person.number == 1


def test_the_selected_are_exported_in_their_order(person, page, tmp_path):
    dialog = person.view.dialogs.export
    (tmp_path / "night-vetted.csv").write_text("old", encoding="utf-8")
    select(person, page, 7, 2, 9)
    choose(page, opened_menu(person, page, 9)["Export the 3 selected"])
    person.wait(dialog.isVisible)
    assert dialog.catalogue.buttons["selected"].text() == "3 selected candidates"
    assert dialog.catalogue.buttons["selected"].isVisible()
    person.wait(lambda: dialog.catalogue.table.rowCount() == 3)
    assert dialog.catalogue.count.text().startswith("3 rows")
    assert "will be replaced" in dialog.file.problem.text()
    press(person, dialog.write_button)
    person.wait(lambda: not dialog.is_writing)
    with (tmp_path / "night-vetted.csv").open(newline="", encoding="utf-8") as file:
        found = [row["object_id"] for row in csv.DictReader(file)]
    names = [person.session.candidate(number).object_id for number in (3, 8, 10)]
    assert found == names
    metadata = (tmp_path / "night-vetted.csv-metadata.json").read_text("utf-8")
    assert "3 selected candidates" in metadata
    dialog.hide()
    person.window.activateWindow()
    person.press("e", CTRL)  # the whole catalogue, as ever
    person.wait(dialog.isVisible)
    assert not dialog.catalogue.buttons["selected"].isVisible()
    assert dialog.catalogue.choice == "accepted"


def test_all_that_the_filter_shows_is_exported(person, page):
    dialog = person.view.dialogs.export
    person.press("f", CTRL)
    person.wait(page.filters.edit.hasFocus)
    person.type("id>9")
    person.press(Qt.Key.Key_Return)
    person.wait(lambda: page.model.rowCount() == 3 and not page.loader.is_counting)
    page.sheet.setFocus()
    person.press(Qt.Key.Key_A, CTRL)
    press(person, page.tools.export)
    person.wait(dialog.isVisible)
    assert dialog.catalogue.selected == (10, 11, 12)


def test_a_session_that_is_only_read(qtbot, tmp_path):
    place = sample_file(tmp_path, 4)
    with open_session(place, "Bea"), before_window(qtbot, None) as person:
        person.window.opening.open_session(place, read_only=True)
        person.wait(lambda: person.window.view is not None and person.current.row is not None)
        page = overview(person)
        person.wait(lambda: page.model.blocks.row(3) is not None)
        select(person, page, 0, 1)
        assert not page.tools.run.isEnabled() and page.tools.compare.isEnabled()
        assert page.tools.export.isEnabled()
        told = messages_of(person)
        drawn(person, page)
        person.window.commands.run("reject_below")
        person.press("x")
        person.wait(lambda: len(told) == 2)
        assert set(told) == {"This session is read-only: verdicts cannot be saved"}
