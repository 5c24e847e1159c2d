"""The page before a session, used with mouse, keys and drops."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont

from agent.tasks.catalogue import find_task
from app.core.session.records import Opinion, Verdict
from app.core.session.session import new_session
from app.ui.start import welcome_page
from app.ui.start.welcome_page import WelcomePage
from app.ui.theme.theme import DARK
from tests.app.ui.candidates import take_sample
from tests.app.ui.importing.dropping import drag, drop, leave


@pytest.fixture
def made(tmp_path):
    """A session of twelve, three of them judged."""
    location = tmp_path / "night.speco3"
    with new_session(location, find_task("CV"), "Ada") as session:
        take_sample(session, 12)
        for number in (1, 2, 3):
            session.record_verdict(number, Opinion(verdict=Verdict.REJECT))
    return location


@pytest.fixture
def page(qtbot, tools):
    page = WelcomePage(*tools.all)
    qtbot.addWidget(page)
    page.resize(1280, 720)
    page.show()
    return page


def click(qtbot, widget):
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def test_one_click_for_the_sample(qtbot, page):
    with qtbot.waitSignal(page.sample_requested):
        click(qtbot, page.sample_button)


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Space])
def test_the_same_with_keys(qtbot, page, key):
    page.sample_button.setFocus()
    with qtbot.waitSignal(page.sample_requested):
        qtbot.keyClick(page.sample_button, key)


def test_opening_lists_folders_and_sessions(qtbot, page, monkeypatch, tmp_path):
    monkeypatch.setattr(welcome_page, "choose_lists", lambda parent: [tmp_path / "a.csv"])
    monkeypatch.setattr(welcome_page, "choose_folder", lambda parent: tmp_path)
    monkeypatch.setattr(welcome_page, "choose_session", lambda parent: tmp_path / "n.speco3")
    with qtbot.waitSignal(page.list_chosen) as told:
        click(qtbot, page.list_button)
    assert told.args == [[tmp_path / "a.csv"]]
    with qtbot.waitSignal(page.list_chosen) as told:
        click(qtbot, page.folder_button)
    assert told.args == [[tmp_path]]
    with qtbot.waitSignal(page.session_chosen) as told:
        click(qtbot, page.session_button)
    assert told.args == [tmp_path / "n.speco3"]


def test_a_dialog_that_is_given_up_does_nothing(qtbot, page, monkeypatch):
    monkeypatch.setattr(welcome_page, "choose_lists", lambda parent: [])
    monkeypatch.setattr(welcome_page, "choose_session", lambda parent: None)
    with qtbot.assertNotEmitted(page.list_chosen), qtbot.assertNotEmitted(page.session_chosen):
        click(qtbot, page.list_button)
        click(qtbot, page.session_button)


def test_recent_sessions_tell_how_far_one_came(qtbot, page, tools, made):
    assert page.recent.empty.isVisible()
    gone = str(made.with_name("gone.speco3"))
    tools.settings.change(recent=(str(made), gone))
    row, lost = page.recent.rows[str(made)], page.recent.rows[gone]
    qtbot.waitUntil(lambda: row.session.task != "" and not lost.session.exists)
    assert row.state_text() == "3 of 12 judged"
    assert lost.state_text() == "not there"
    assert not page.recent.empty.isVisible()
    with qtbot.waitSignal(page.session_chosen) as told:
        click(qtbot, row)
    assert told.args == [made]
    with qtbot.assertNotEmitted(page.session_chosen):
        click(qtbot, lost)


def test_taking_one_off_the_list_leaves_the_file(qtbot, page, tools, made):
    tools.settings.change(recent=(str(made), "/other.speco3"))
    click(qtbot, page.recent.rows[str(made)].remove_button)
    assert tools.settings.settings.recent == ("/other.speco3",)
    assert list(page.recent.rows) == ["/other.speco3"]
    assert made.exists()


def test_coming_back_looks_again(qtbot, page, tools, made):
    tools.settings.change(recent=(str(made),))
    qtbot.waitUntil(lambda: page.recent.rows[str(made)].session.done == 3)
    made.unlink()
    page.show_problem("something old")
    page.refresh()
    qtbot.waitUntil(lambda: not page.recent.rows[str(made)].session.exists)
    assert not page.problem.isVisible()


def test_changing_ones_name(qtbot, page, tools):
    name = page.reviewer
    assert name.name.text() == "Ada"
    click(qtbot, name.button)
    qtbot.keyClicks(name.field, "Grace  Hopper ")
    qtbot.keyClick(name.field, Qt.Key.Key_Return)
    assert tools.settings.settings.reviewer == "Grace Hopper"
    assert name.name.text() == "Grace Hopper"
    assert not name.field.isVisible()


def test_giving_up_a_name(qtbot, page, tools):
    click(qtbot, page.reviewer.button)
    qtbot.keyClicks(page.reviewer.field, "X")
    qtbot.keyClick(page.reviewer.field, Qt.Key.Key_Escape)
    assert tools.settings.settings.reviewer == "Ada"
    assert page.reviewer.name.isVisible()


def test_a_name_is_no_markup(page, tools):
    tools.settings.change(reviewer="<b>Ada</b>")
    assert page.reviewer.name.text() == "<b>Ada</b>"
    assert page.reviewer.name.textFormat() is Qt.TextFormat.PlainText


def test_dragging_says_what_will_happen(page, made, sample_list):
    veil = page.drops.veil
    assert drag(page, [made])
    assert veil.isVisible()
    assert "open the session" in veil.text
    leave(page)
    assert not veil.isVisible()
    drag(page, [sample_list.parent])
    assert "spectra in this folder" in veil.text
    drag(page, [sample_list, sample_list])
    assert "2 files" in veil.text
    drag(page, ["https://example.org/list.csv"])
    assert "cannot be opened" in veil.text
    leave(page)


def test_dropping_each_kind(qtbot, page, made, sample_list, one_spectrum):
    with qtbot.waitSignal(page.session_chosen) as told:
        drop(page, [made])
    assert told.args == [made]
    with qtbot.waitSignal(page.list_chosen) as told:
        drop(page, [sample_list])
    assert told.args == [[sample_list]]
    with qtbot.waitSignal(page.list_chosen) as told:
        drop(page, [sample_list.parent / "spectra"])
    with qtbot.waitSignal(page.spectrum_chosen) as told:
        drop(page, [one_spectrum])
    assert told.args == [one_spectrum]
    assert not page.drops.veil.isVisible()


def test_dropping_what_is_of_no_use_says_why_in_place(qtbot, page, tmp_path):
    paper = tmp_path / "paper.pdf"
    paper.write_bytes(b"%PDF-1.7")
    drop(page, [paper])
    qtbot.waitUntil(page.problem.isVisible)
    assert "PDF" in page.problem.text
    click(qtbot, page.problem.close_button)
    assert not page.problem.isVisible()


def test_it_fits_a_small_laptop_with_large_letters(qtbot, page, tools):
    tools.current_theme.use(DARK)
    font = QFont(page.font())
    font.setPointSize(13)
    page.setFont(font)
    page.resize(1280, 660)
    qtbot.waitUntil(lambda: page.height() == 660)
    assert page.minimumSizeHint().width() <= 1280
    assert page.minimumSizeHint().height() <= 660
