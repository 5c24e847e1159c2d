"""The welcome page, used with mouse, keys and drops."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont

from app.ui.start import welcome_page
from app.ui.theme.theme import DARK
from tests.app.ui.importing.dropping import drop
from tests.app.ui.tools import click


def test_opening_lists_folders_and_sessions(qtbot, page, monkeypatch, tmp_path):
    monkeypatch.setattr(welcome_page, "choose_lists", lambda parent: [tmp_path / "a.csv"])
    monkeypatch.setattr(welcome_page, "choose_folder", lambda parent: tmp_path)
    monkeypatch.setattr(welcome_page, "choose_session", lambda parent: tmp_path / "n.speco3")
    with qtbot.waitSignal(page.list_chosen) as signal:
        click(qtbot, page.list_button)
    assert signal.args == [[tmp_path / "a.csv"]]
    with qtbot.waitSignal(page.list_chosen) as signal:
        click(qtbot, page.folder_button)
    assert signal.args == [[tmp_path]]
    with qtbot.waitSignal(page.session_chosen) as signal:
        click(qtbot, page.session_button)
    assert signal.args == [tmp_path / "n.speco3"]


def test_a_dialog_that_is_given_up_does_nothing(qtbot, page, monkeypatch):
    monkeypatch.setattr(welcome_page, "choose_lists", lambda parent: [])
    monkeypatch.setattr(welcome_page, "choose_session", lambda parent: None)
    with qtbot.assertNotEmitted(page.list_chosen), qtbot.assertNotEmitted(page.session_chosen):
        click(qtbot, page.list_button)
        click(qtbot, page.session_button)


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


def test_dropping_each_kind(qtbot, page, made, sample_list, one_spectrum):
    with qtbot.waitSignal(page.session_chosen) as signal:
        drop(page, [made])
    assert signal.args == [made]
    with qtbot.waitSignal(page.list_chosen) as signal:
        drop(page, [sample_list])
    assert signal.args == [[sample_list]]
    with qtbot.waitSignal(page.list_chosen) as signal:
        drop(page, [sample_list.parent / "spectra"])
    with qtbot.waitSignal(page.spectrum_chosen) as signal:
        drop(page, [one_spectrum])
    assert signal.args == [one_spectrum]
    assert not page.drops.overlay.isVisible()


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
