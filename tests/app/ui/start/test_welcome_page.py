"""The welcome page, used with mouse, keys and drops."""

from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont

from agent.tasks.catalogue import find_task
from app.core.errors import SessionHeldError
from app.core.session.session import new_session, open_session
from app.ui.base.theme.theme import DARK, CurrentTheme
from app.ui.start import welcome_page
from app.ui.start.opening import LockedPage
from tests.app.ui.start.importing.dropping import drop
from tests.app.ui.steps import click, heard, shown_in


def test_lists_folders_sessions_and_the_sample_are_opened(qtbot, page, monkeypatch, tmp_path):
    monkeypatch.setattr(welcome_page, "choose_lists", lambda parent: [tmp_path / "a.csv"])
    monkeypatch.setattr(welcome_page, "choose_folder", lambda parent: tmp_path)
    monkeypatch.setattr(welcome_page, "choose_session", lambda parent: tmp_path / "n.speco3")
    for button, signal, chosen in [
        (page.list_button, page.list_chosen, [tmp_path / "a.csv"]),
        (page.folder_button, page.list_chosen, [tmp_path]),
        (page.session_button, page.session_chosen, tmp_path / "n.speco3"),
    ]:
        assert heard(qtbot, signal, partial(click, qtbot, button)) == chosen
    monkeypatch.setattr(welcome_page, "choose_lists", lambda parent: [])
    monkeypatch.setattr(welcome_page, "choose_session", lambda parent: None)
    with qtbot.assertNotEmitted(page.list_chosen), qtbot.assertNotEmitted(page.session_chosen):
        click(qtbot, page.list_button)
        click(qtbot, page.session_button)
    for button, name in [(page.sample_button, "sample"), (page.real_button, "sample_real")]:
        assert heard(qtbot, page.sample_requested, partial(click, qtbot, button)) == name
    for key in [Qt.Key.Key_Return, Qt.Key.Key_Space]:
        page.sample_button.setFocus()
        with qtbot.waitSignal(page.sample_requested):
            qtbot.keyClick(page.sample_button, key)


def test_drops_names_and_large_letters(page, tools, qtbot, tmp_path):
    tools.settings.change(reviewer="<b>Ada</b>")
    assert page.reviewer.name.text() == "<b>Ada</b>"
    assert page.reviewer.name.textFormat() is Qt.TextFormat.PlainText
    paper = tmp_path / "paper.pdf"
    paper.write_bytes(b"%PDF-1.7")
    drop(page, [paper])
    qtbot.waitUntil(page.problem.isVisible)
    assert "PDF" in page.problem.text
    click(qtbot, page.problem.close_button)
    assert not page.problem.isVisible()
    button = page.session_button
    one_row = button.heightForWidth(2000)
    assert one_row == button.sizeHint().height()
    line = button.fontMetrics().height()
    assert button.heightForWidth(220) >= one_row + line
    tools.current_theme.use(DARK)
    font = QFont(page.font())
    font.setPointSize(13)
    page.setFont(font)
    page.resize(1280, 660)
    qtbot.waitUntil(lambda: page.height() == 660)
    assert page.minimumSizeHint().width() <= 1280 and page.minimumSizeHint().height() <= 660


def test_dropping_each_kind(qtbot, page, made, sample_list, one_spectrum):
    assert heard(qtbot, page.session_chosen, lambda: drop(page, [made])) == made
    assert heard(qtbot, page.list_chosen, lambda: drop(page, [sample_list])) == [sample_list]
    with qtbot.waitSignal(page.list_chosen):
        drop(page, [sample_list.parent / "spectra"])
    assert heard(qtbot, page.spectrum_chosen, lambda: drop(page, [one_spectrum])) == one_spectrum
    assert not page.drops.overlay.isVisible()


@pytest.fixture
def held(tmp_path):
    """The location of an open session, and the error of opening it again."""
    location = tmp_path / "night.speco3"
    with new_session(location, find_task("CV"), "Ada"):
        with pytest.raises(SessionHeldError) as refused:
            open_session(location, "Grace")
        yield location, refused.value


def test_it_tells_who_and_offers_to_look_to_try_again_and_another(qtbot, held):
    location, error = held
    page = shown_in(qtbot, LockedPage(CurrentTheme()))
    page.show_holder(location, error)
    assert "night.speco3 is open" in page.title.text() and "process" in page.holder.text()
    button = page.read_only_button
    assert heard(qtbot, page.read_only_requested, lambda: click(qtbot, button)) == location
    with open_session(location, "Grace", read_only=True) as session:
        assert session.is_read_only
    assert heard(qtbot, page.retry_requested, lambda: click(qtbot, page.retry_button)) == location
    with qtbot.waitSignal(page.closed):
        click(qtbot, page.other_button)
