"""From lists to a session, as a user does it."""

from __future__ import annotations

import threading

from app.core.session.session import open_session
from app.ui.importing import import_page
from tests.app.ui.importing.dropping import drop
from tests.app.ui.importing.page_user import cell, run_import, show
from tests.app.ui.tools import click
from tests.processes import LONG_S


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
    with qtbot.waitSignal(page.session_created) as signal:
        click(qtbot, page.judge_button)
    path = signal.args[0]
    assert path == sample_list.with_suffix(".speco3")
    with open_session(path, "Ada") as session:
        assert (session.count(), session.task.id, session.fact("blind")) == (60, "CV", None)


def test_stopping_an_import_leaves_nothing(qtbot, page, sample_list, monkeypatch):
    """The import waits within its first block until Cancel was pressed."""
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
