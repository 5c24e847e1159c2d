"""From the welcome page to the judging page: a survey in the whole window."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.core.finding.found_session import allow_sources
from app.core.finding.table import FindTable
from app.ui.start.finding import find_dialog
from tests.app.ui.start.finding.test_find_dialog import open_table, type_into
from tests.app.ui.steps import click
from tests.app.ui.whole_window import CTRL, before_window


def test_a_session_of_the_best_is_opened(qtbot, searched, tmp_path, monkeypatch):
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path / "config"))
    allow_sources(FindTable(searched / "searched.find"))  # as who searches does
    monkeypatch.setattr(find_dialog, "choose_new_file", lambda *_: tmp_path / "cv.speco3")
    with before_window(qtbot, None) as person:
        click(qtbot, person.window.opening.welcome.find_button)
        dialog = person.window.opening.finding
        open_table(qtbot, dialog, searched / "searched.find")
        click(qtbot, dialog.make_button)
        person.wait(lambda: person.window.view is not None and person.current.is_painted)
        assert person.session.task.id == "CV" and not dialog.isVisible()
        person.press("K", CTRL)
        person.type("find in a")
        person.press(Qt.Key.Key_Return)
        person.wait(dialog.isVisible)
        person.wait(dialog.isActiveWindow)
        QTest.keyClick(dialog, Qt.Key.Key_F1)
        assert person.window.help.guide.page.name == "finding"


def test_a_window_that_closes_while_it_searches_loses_nothing(qtbot, survey, held):
    with before_window(qtbot, None) as person:
        person.window.commands.run("find_in_folder")
        dialog = person.window.opening.finding
        person.wait(lambda: dialog.card.classes)
        type_into(dialog.card.source, survey)
        dialog.finished.connect(held.set)
        click(qtbot, dialog.card.start_button)
        with qtbot.waitSignal(
            dialog.search.told, check_params_cb=lambda told: told.state.looked_at > 0
        ):
            pass
    assert len(FindTable(survey.with_name("survey.find")).columns(["snr"])["snr"]) > 0
