"""The welcome page, used with mouse, keys and drops."""

from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont

from agent.tasks.catalogue import find_task
from app.core.errors import SessionHeldError
from app.core.session.session import new_session, open_session
from app.ui.base.theme.theme import DARK, CurrentTheme
from app.ui.start import opening
from app.ui.start.opening import LockedPage, Opening
from tests.app.ui.start.importing.dropping import drop
from tests.app.ui.steps import click, heard, shown_in
from tests.app.ui.whole_window import before_window


@pytest.fixture
def opened(monkeypatch):
    """What the page lets be opened: the lists, or the place of a session."""
    opened = []
    for name in ("import_lists", "open_session", "open_spectrum"):
        monkeypatch.setattr(Opening, name, lambda self, what: opened.append(what))
    return opened


def test_lists_folders_and_sessions_are_chosen(qtbot, opened, monkeypatch, tmp_path):
    chosen = {"lists": [tmp_path / "a.csv"], "folder": tmp_path, "session": tmp_path / "n.speco3"}
    for name in chosen:
        monkeypatch.setattr(opening, f"choose_{name}", lambda parent, name=name: chosen[name])
    with before_window(qtbot, None) as person:
        page = person.window.opening.welcome
        for button in (page.list_button, page.folder_button, page.session_button):
            click(qtbot, button)
        assert opened == [[tmp_path / "a.csv"], [tmp_path], tmp_path / "n.speco3"]
        chosen |= {"lists": [], "folder": None, "session": None}
        for button in (page.list_button, page.folder_button, page.session_button):
            click(qtbot, button)
        assert len(opened) == 3


def test_the_samples_are_opened(qtbot, page):
    for button, name in [(page.sample_button, "sample"), (page.real_button, "sample_real")]:
        assert heard(qtbot, page.sample_requested, partial(click, qtbot, button)) == name
    for key in [Qt.Key.Key_Return, Qt.Key.Key_Space]:
        page.sample_button.setFocus()
        with qtbot.waitSignal(page.sample_requested):
            qtbot.keyClick(page.sample_button, key)


def test_names_and_large_letters(page, tools, qtbot):
    tools.settings.change(reviewer="<b>Ada</b>")
    assert page.reviewer.name.text() == "<b>Ada</b>"
    assert page.reviewer.name.textFormat() is Qt.TextFormat.PlainText
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


def test_dropping_each_kind(qtbot, opened, made, sample_list, one_spectrum, tmp_path):
    paper, spectra = tmp_path / "paper.pdf", sample_list.parent / "spectra"
    paper.write_bytes(b"%PDF-1.7")
    with before_window(qtbot, None) as person:
        page = person.window.opening.welcome
        for path, given in [
            (made, made),
            (sample_list, [sample_list]),
            (spectra, [spectra]),
            (one_spectrum, one_spectrum),
        ]:
            drop(page, [path])
            person.wait(lambda given=given: opened[-1:] == [given])
            assert not page.drops.overlay.isVisible()
        drop(page, [paper])
        person.wait(page.problem.isVisible)
        assert "PDF" in page.problem.text
        click(qtbot, page.problem.close_button)
        assert not page.problem.isVisible() and len(opened) == 4


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
