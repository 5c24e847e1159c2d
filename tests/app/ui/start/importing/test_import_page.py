"""From lists to a session, as a user does it."""

import threading
from functools import partial

import pytest
from PySide6.QtCore import Qt

from app.core.session.session import open_session
from app.ui.start.importing import import_page
from tests.app.ui.start.importing.conftest import cell, pick_column, run_import, show
from tests.app.ui.start.importing.dropping import drop
from tests.app.ui.steps import click, heard
from tests.processes import LONG_S


def test_from_list_to_session_and_back(qtbot, page, sample_list):
    show(qtbot, page, sample_list)
    assert page.list.roles.boxes["path"].currentText() == "file"
    assert page.list.roles.boxes["score"].currentText() == "none"
    assert "60 rows" in page.list.facts.text() and cell(page, 0, 2) == "90000-60230-0001"
    assert "cataclysmic variable" in page.task.guideline.toPlainText()
    # The class is chosen: Enter is enough, and as all rows are imported there is nothing to read.
    qtbot.waitUntil(page.import_button.isEnabled)
    page.task.box.setFocus()
    enter = partial(qtbot.keyClick, page.task.box, Qt.Key.Key_Return)
    path = heard(qtbot, page.session_created, enter)
    assert page.report.values["rows_used"].text() == "60" and not page.report.isVisible()
    assert path == sample_list.with_suffix(".speco3")
    with open_session(path, "Ada") as session:
        assert (session.count(), session.task.id, session.fact("blind")) == (60, "CV", None)
    click(qtbot, page.back_button)
    assert page.import_button.isVisible() and page.session.path.name == "candidates-2.speco3"
    with qtbot.waitSignal(page.cancelled):
        click(qtbot, page.back_button)


def test_stopping_leaves_nothing_and_what_goes_wrong_is_told_in_place(
    qtbot, page, sample_list, monkeypatch
):
    # The import waits within its first block until Cancel was pressed.
    began, pressed = threading.Event(), threading.Event()
    real = import_page.make_session

    def slow(order, progress, should_stop):
        def wait_and_ask():
            began.set()
            pressed.wait(LONG_S)
            return should_stop()

        return real(order, progress, wait_and_ask)

    monkeypatch.setattr(import_page, "make_session", slow)
    show(qtbot, page, sample_list)
    qtbot.waitUntil(page.import_button.isEnabled)
    click(qtbot, page.import_button)
    qtbot.waitUntil(began.is_set)
    assert page.bar.isVisible() and not page.list.isEnabled()
    click(qtbot, page.cancel_button)
    pressed.set()
    qtbot.waitUntil(page.import_button.isEnabled)
    assert "Stopped" in page.hint.text() and not page.problem.isVisible()
    assert not list(sample_list.parent.glob("*.speco3*"))
    show(qtbot, page, sample_list)
    qtbot.waitUntil(page.import_button.isEnabled)
    sample_list.unlink()
    click(qtbot, page.import_button)
    qtbot.waitUntil(page.problem.isVisible)
    assert "candidates.csv" in page.problem.text and page.import_button.isEnabled()


@pytest.fixture
def other(tmp_path):
    """A list of one row."""
    path = tmp_path / "other.csv"
    path.write_text("object_id,ra,dec\nstar,1.5,2.5\n")
    return path


def test_other_lists_dropped_take_their_place(qtbot, page, sample_list, other):
    show(qtbot, page, sample_list)
    drop(page, [other])
    qtbot.waitUntil(lambda: page.list.is_ready and page.list.name.text() == "other.csv")
    assert page.session.path.name == "other.speco3"


def test_refused_rows_with_number_and_reason(qtbot, page, tmp_path):
    listed = tmp_path / "mess.csv"
    rows = "".join(f"star {n},{'x' if n == 3 else n},s{n}.fits\n" for n in range(1, 6))
    listed.write_text(f"object_id,number,path\n{rows}star 1,1,s1.fits\n")
    show(qtbot, page, listed)
    pick_column(page, "row", "number")
    qtbot.waitUntil(lambda: page.list.is_ready)
    run_import(qtbot, page)
    told = {name: label.text() for name, label in page.report.values.items()}
    assert told["rows_read"] == "6"
    assert (told["rows_used"], told["duplicates"], told["rows_refused"]) == ("4", "1", "1")
    assert told["missing_files"] != "0"
    table = page.report.refused
    assert page.judge_button.hasFocus()
    told = [table.item(0, column).text() for column in range(3)]
    assert told == ["mess.csv", "3", '"x" is not a row number of a spectrum file']
    assert table.isVisible()


def test_several_lists(qtbot, page, sample_list, other):
    show(qtbot, page, sample_list, other)
    qtbot.waitUntil(lambda: page.list.is_ready)
    assert page.list.tabs.count() == 2
    assert page.list.shown.text() == "the first 20 shown" and page.list.shown.isVisible()
    rect = page.list.tabs.tabRect(1)
    qtbot.mouseClick(page.list.tabs, Qt.MouseButton.LeftButton, pos=rect.center())
    assert page.list.name.text() == "other.csv" and cell(page, 0, 0) == "star"
    assert not page.list.shown.isVisible()
    run_import(qtbot, page)
    assert page.report.values["rows_used"].text() == "61"


def test_a_folder_of_spectra(qtbot, page, sample_list):
    folder = sample_list.parent / "spectra"
    show(qtbot, page, folder)
    assert not page.list.roles.boxes["path"].isEnabled()
    run_import(qtbot, page)
    assert page.report.values["rows_used"].text() == "60"
    assert (folder.parent / "spectra.speco3").exists()


def test_roles_are_put_right_and_half_a_position_is_none(qtbot, page, sample_list):
    show(qtbot, page, sample_list)
    pick_column(page, "ra", "none")
    qtbot.waitUntil(lambda: page.list.is_ready)
    assert page.list.roles.boxes["dec"].currentText() == "none"
    show(qtbot, page, sample_list)
    pick_column(page, "score", "mag_g")
    pick_column(page, "label", "none")
    qtbot.waitUntil(lambda: page.list.is_ready and page.list.preview.roles.number("label") is None)
    assert page.list.preview.roles.columns["score"] == "mag_g"
    run_import(qtbot, page)
    with open_session(sample_list.with_suffix(".speco3"), "Ada") as session:
        assert session.candidate(1).score == pytest.approx(session.candidate(1).score)
        assert session.candidate(1).score is not None and session.candidate(1).label == ""


def test_columns_that_nobody_knows_are_named_by_the_user(qtbot, page, tmp_path):
    strange = tmp_path / "strange.csv"
    strange.write_text("foo,bar\nstar 1,2\nstar 2,4\n")
    show(qtbot, page, strange)
    assert "no column was recognized" in page.list.problem.text
    assert "strange.csv" in page.hint.text() and not page.import_button.isEnabled()
    pick_column(page, "object_id", "foo")
    qtbot.waitUntil(lambda: page.list.is_ready)
    assert not page.list.problem.isVisible()
    run_import(qtbot, page)
    assert page.report.values["without_file"].text() == "2"


def test_blind_and_another_name_for_the_file(qtbot, page, sample_list, tmp_path):
    show(qtbot, page, sample_list)
    page.session.file.edit.selectAll()
    qtbot.keyClicks(page.session.file.edit, str(tmp_path / "tonight"))
    click(qtbot, page.session.blind)
    run_import(qtbot, page)
    with open_session(tmp_path / "tonight.speco3", "Ada") as session:
        assert session.fact("blind") == "yes"


def test_options_of_a_new_session(qtbot, page, tools, sample_list):
    tools.settings.change(blind=True)
    show(qtbot, page, sample_list)
    assert page.session.blind.isChecked()
    taken = sample_list.with_suffix(".speco3")
    taken.write_text("mine")
    show(qtbot, page, sample_list)
    assert page.session.path.name == "candidates-2.speco3"
    page.session.file.edit.setText(str(taken))
    assert "already" in page.session.file.problem.text() and not page.import_button.isEnabled()
    assert taken.read_text() == "mine"
    show(qtbot, page, sample_list)
    with qtbot.assertNotEmitted(page.cancelled), qtbot.assertNotEmitted(page.session_created):
        qtbot.keyClicks(page.session.spectra.edit, "axuAXU123")
    assert page.session.spectra.edit.text() == "axuAXU123"


def test_the_folder_of_the_spectra(qtbot, page, sample_list, tmp_path):
    elsewhere = tmp_path / "lists" / "candidates.csv"
    elsewhere.parent.mkdir()
    elsewhere.write_text(sample_list.read_text())
    show(qtbot, page, elsewhere)
    page.session.spectra.edit.setText(str(tmp_path / "nowhere"))
    assert "Not a folder" in page.hint.text()
    page.session.spectra.edit.setText(str(sample_list.parent))
    run_import(qtbot, page)
    assert page.report.values["missing_files"].text() == "0"
