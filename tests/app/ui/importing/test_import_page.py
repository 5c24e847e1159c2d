"""From lists to a session, as a person does it."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt

from agent.tasks.catalogue import find_task, task_source
from app.core.session.session import open_session
from app.ui.importing import import_page, task_chooser
from app.ui.importing.import_page import ImportPage
from app.ui.importing.task_chooser import guideline_html, task_from_name
from app.ui.theme.theme import LIGHT
from tests.app.ui.importing.dropping import drop


@pytest.fixture
def page(qtbot, tools):
    page = ImportPage(*tools.all)
    qtbot.addWidget(page)
    page.resize(1280, 720)
    page.show()
    yield page
    page.stop()


def show(qtbot, page, *paths, task="CV"):
    page.show_lists(list(paths))
    qtbot.waitUntil(lambda: page.task.box.count() > 0 and page.list.preview is not None)
    pick(page.task.box, next(i for i in range(page.task.box.count()) if task in id_at(page, i)))


def id_at(page, number):
    return page.task.box.itemText(number).rpartition(" · ")[2]


def pick(box, number):
    """As a click on an entry of the open box does."""
    box.setCurrentIndex(number)
    box.activated.emit(number)


def pick_column(page, role, column):
    box = page.list.roles.boxes[role]
    pick(box, box.findText(column))


def click(qtbot, widget):
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def run_import(qtbot, page):
    qtbot.waitUntil(page.import_button.isEnabled)
    click(qtbot, page.import_button)
    qtbot.waitUntil(page.judge_button.isVisible)


def cell(page, row, column):
    model = page.list.table.model()
    return model.index(row, column).data()


def test_from_list_to_session(qtbot, page, sample_list):
    show(qtbot, page, sample_list)
    assert page.list.roles.boxes["path"].currentText() == "file"
    assert page.list.roles.boxes["score"].currentText() == "none"
    assert "60 rows" in page.list.facts.text()
    assert cell(page, 0, 2) == "90000-60230-0001"
    assert "cataclysmic variable" in page.task.guideline.toPlainText()
    run_import(qtbot, page)
    assert page.report.values["rows_used"].text() == "60"
    assert page.report.all_imported.isVisible()
    with qtbot.waitSignal(page.session_created) as told:
        click(qtbot, page.judge_button)
    path = told.args[0]
    assert path == sample_list.with_suffix(".speco3")
    with open_session(path, "Ada") as session:
        assert (session.count(), session.task.id, session.fact("blind")) == (60, "CV", None)


def test_blind_and_another_name_for_the_file(qtbot, page, sample_list, tmp_path):
    show(qtbot, page, sample_list)
    page.session.file.edit.selectAll()
    qtbot.keyClicks(page.session.file.edit, str(tmp_path / "tonight"))
    click(qtbot, page.session.blind)
    run_import(qtbot, page)
    with open_session(tmp_path / "tonight.speco3", "Ada") as session:
        assert session.fact("blind") == "yes"


def test_the_settings_say_whether_new_sessions_are_blind(qtbot, page, tools, sample_list):
    tools.settings.change(blind=True)
    show(qtbot, page, sample_list)
    assert page.session.blind.isChecked()


def test_nothing_is_chosen_for_the_user_but_what_the_name_tells(qtbot, page, sample_list):
    page.show_lists([sample_list])
    qtbot.waitUntil(lambda: page.task.box.count() > 0 and page.list.is_ready)
    assert page.task.task is None
    assert not page.import_button.isEnabled()
    assert page.hint.text() == "Choose what you look for"
    named = sample_list.with_name("lamost_wd-2.csv")
    named.write_text(sample_list.read_text())
    page.show_lists([named])
    qtbot.waitUntil(lambda: page.task.task is not None)
    assert page.task.task.id == "WD"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cv_list.csv", "CV"),
        ("cs-or-cv.csv", ""),
        ("scv.csv", ""),
        ("b.csv", ""),
        ("MG.fits", "MG"),
    ],
)
def test_what_a_name_tells(name, expected):
    assert task_from_name(name, ["CV", "CS", "MG", "B"]) == expected


def test_a_wrong_guess_is_put_right(qtbot, page, sample_list):
    show(qtbot, page, sample_list)
    pick_column(page, "score", "mag_g")
    pick_column(page, "label", "none")
    qtbot.waitUntil(lambda: page.list.is_ready and page.list.preview.roles.number("label") is None)
    assert page.list.preview.roles.columns["score"] == "mag_g"
    run_import(qtbot, page)
    with open_session(sample_list.with_suffix(".speco3"), "Ada") as session:
        assert session.candidate(1).score == pytest.approx(session.candidate(1).score)
        assert session.candidate(1).score is not None
        assert session.candidate(1).label == ""


def test_half_a_position_is_none(qtbot, page, sample_list):
    show(qtbot, page, sample_list)
    pick_column(page, "ra", "none")
    qtbot.waitUntil(lambda: page.list.is_ready)
    assert page.list.roles.boxes["dec"].currentText() == "none"


def test_columns_that_nobody_knows_are_named_by_the_user(qtbot, page, tmp_path):
    strange = tmp_path / "strange.csv"
    strange.write_text("foo,bar\nstar 1,2\nstar 2,4\n")
    show(qtbot, page, strange)
    assert "no column names" in page.list.problem.text
    assert "strange.csv" in page.hint.text()
    assert not page.import_button.isEnabled()
    pick_column(page, "object_id", "foo")
    qtbot.waitUntil(lambda: page.list.is_ready)
    assert not page.list.problem.isVisible()
    run_import(qtbot, page)
    assert page.report.values["without_file"].text() == "2"


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
    assert [table.item(0, column).text() for column in range(3)] == [
        "mess.csv",
        "3",
        '"x" is no row of a file',
    ]
    assert table.isVisible()


def test_several_lists(qtbot, page, sample_list, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("object_id,ra,dec\nstar,1.5,2.5\n")
    show(qtbot, page, sample_list, other)
    qtbot.waitUntil(lambda: page.list.is_ready)
    assert page.list.tabs.count() == 2
    rect = page.list.tabs.tabRect(1)
    qtbot.mouseClick(page.list.tabs, Qt.MouseButton.LeftButton, pos=rect.center())
    assert page.list.name.text() == "other.csv"
    assert cell(page, 0, 0) == "star"
    run_import(qtbot, page)
    assert page.report.values["rows_used"].text() == "61"


def test_a_folder_of_spectra(qtbot, page, sample_list):
    folder = sample_list.parent / "spectra"
    show(qtbot, page, folder)
    assert not page.list.roles.boxes["path"].isEnabled()
    run_import(qtbot, page)
    assert page.report.values["rows_used"].text() == "60"
    assert (folder.parent / "spectra.speco3").exists()


def test_a_file_that_is_there_is_never_written_over(qtbot, page, sample_list):
    taken = sample_list.with_suffix(".speco3")
    taken.write_text("mine")
    show(qtbot, page, sample_list)
    assert page.session.path.name == "candidates-2.speco3"
    page.session.file.edit.setText(str(taken))
    assert "already" in page.session.file.problem.text()
    assert not page.import_button.isEnabled()
    assert taken.read_text() == "mine"


def test_the_folder_of_the_spectra(qtbot, page, sample_list, tmp_path):
    elsewhere = tmp_path / "lists" / "candidates.csv"
    elsewhere.parent.mkdir()
    elsewhere.write_text(sample_list.read_text())
    show(qtbot, page, elsewhere)
    page.session.spectra.edit.setText(str(tmp_path / "nowhere"))
    assert "no folder" in page.hint.text()
    page.session.spectra.edit.setText(str(sample_list.parent))
    run_import(qtbot, page)
    assert page.report.values["missing_files"].text() == "0"


def test_stopping_an_import_leaves_nothing(qtbot, page, sample_list, monkeypatch):
    """The import waits within its first block until Cancel was pressed."""
    began, pressed = threading.Event(), threading.Event()
    real = import_page.make_session

    def slow(order, progress, should_stop):
        def wait_and_ask():
            began.set()
            pressed.wait(20)
            return should_stop()

        return real(order, progress, wait_and_ask)

    monkeypatch.setattr(import_page, "make_session", slow)
    show(qtbot, page, sample_list)
    qtbot.waitUntil(page.import_button.isEnabled)
    click(qtbot, page.import_button)
    qtbot.waitUntil(began.is_set)
    assert page.bar.isVisible()
    assert not page.list.isEnabled()
    click(qtbot, page.cancel_button)
    pressed.set()
    qtbot.waitUntil(page.import_button.isEnabled)
    assert "Stopped" in page.hint.text()
    assert not page.problem.isVisible()
    assert not list(sample_list.parent.glob("*.speco3*"))


def test_what_goes_wrong_is_told_in_place(qtbot, page, sample_list):
    show(qtbot, page, sample_list)
    qtbot.waitUntil(page.import_button.isEnabled)
    sample_list.unlink()
    click(qtbot, page.import_button)
    qtbot.waitUntil(page.problem.isVisible)
    assert "candidates.csv" in page.problem.text
    assert page.import_button.isEnabled()


def test_a_task_file_of_the_users_own(qtbot, page, sample_list, tmp_path, monkeypatch):
    source = task_source(find_task("CV")).replace('"CV"', '"DN"', 1)
    own = tmp_path / "dn.toml"
    lines = [
        'name = "dwarf nova"' if line.startswith("name = ") and "cataclysmic" in line else line
        for line in source.splitlines()
    ]
    own.write_text("\n".join(lines))
    monkeypatch.setattr(task_chooser, "choose_task_file", lambda parent: own)
    show(qtbot, page, sample_list)
    click(qtbot, page.task.file_button)
    qtbot.waitUntil(lambda: page.task.task is not None and page.task.task.id == "DN")
    run_import(qtbot, page)
    with open_session(sample_list.with_suffix(".speco3"), "Ada") as session:
        assert session.task.name == "dwarf nova"


def test_a_faulty_task_file_says_so_and_changes_nothing(
    qtbot, page, sample_list, tmp_path, monkeypatch
):
    own = tmp_path / "bad.toml"
    own.write_text("id = 7\n")
    monkeypatch.setattr(task_chooser, "choose_task_file", lambda parent: own)
    show(qtbot, page, sample_list)
    click(qtbot, page.task.file_button)
    qtbot.waitUntil(page.task.problem.isVisible)
    assert "bad.toml" in page.task.problem.text
    assert page.task.task.id == "CV"


def test_a_guideline_is_no_markup():
    from dataclasses import replace

    strange = replace(find_task("CV"), question="<img src='http://x/y.png'> & <b>")
    html = guideline_html(strange, LIGHT)
    assert "<img" not in html
    assert "&lt;img" in html


def test_back_from_the_report_to_the_form_and_out(qtbot, page, sample_list):
    show(qtbot, page, sample_list)
    run_import(qtbot, page)
    click(qtbot, page.back_button)
    assert page.import_button.isVisible()
    assert page.session.path.name == "candidates-2.speco3"
    with qtbot.waitSignal(page.cancelled):
        click(qtbot, page.back_button)


def test_other_lists_dropped_take_their_place(qtbot, page, sample_list, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("object_id,ra,dec\nstar,1.5,2.5\n")
    show(qtbot, page, sample_list)
    drop(page, [other])
    qtbot.waitUntil(lambda: page.list.is_ready and page.list.name.text() == "other.csv")
    assert page.session.path.name == "other.speco3"


def test_typing_in_a_field_is_only_typing(qtbot, page, sample_list):
    show(qtbot, page, sample_list)
    with qtbot.assertNotEmitted(page.cancelled), qtbot.assertNotEmitted(page.session_created):
        qtbot.keyClicks(page.session.spectra.edit, "axuAXU123")
    assert page.session.spectra.edit.text() == "axuAXU123"
