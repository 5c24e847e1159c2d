"""The options of a new session."""

from __future__ import annotations

from app.core.session.session import open_session
from tests.app.ui.importing.page_user import run_import, show
from tests.app.ui.tools import click


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
    assert "Not a folder" in page.hint.text()
    page.session.spectra.edit.setText(str(sample_list.parent))
    run_import(qtbot, page)
    assert page.report.values["missing_files"].text() == "0"


def test_typing_in_a_field_is_only_typing(qtbot, page, sample_list):
    show(qtbot, page, sample_list)
    with qtbot.assertNotEmitted(page.cancelled), qtbot.assertNotEmitted(page.session_created):
        qtbot.keyClicks(page.session.spectra.edit, "axuAXU123")
    assert page.session.spectra.edit.text() == "axuAXU123"
