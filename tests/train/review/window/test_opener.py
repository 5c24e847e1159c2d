"""Rooms are opened from the menu, close with the window, and tell what they cannot open."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

pytest.importorskip("pyarrow")

from app.rooms import rooms
from app.ui.base.background.runner import Runner
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.program.help.pages import guide
from train.review.pool import open_pool
from train.review.window.opener import opener_of


class Host(QWidget):
    """What the main window lends."""

    closing = Signal()

    def __init__(self):
        super().__init__()
        self.runner, self.settings, self.current_theme = Runner(), SettingsStore(), CurrentTheme()
        self.told, self.pages = [], []

    def show_guide(self, page=""):
        self.pages.append(page)

    def show_error(self, text):
        self.told.append(text)


@pytest.fixture
def host(qtbot):
    made = Host()
    qtbot.addWidget(made)
    made.settings.change(reviewer="Grace")
    yield made
    made.closing.emit()
    made.runner.close()


@pytest.fixture
def opener(host):
    return opener_of(host)


def go_on(qtbot, host, room, says):
    """Open the room by its command: it says what it is for before it asks for files."""
    rooms()[room].load()(host)
    (told,) = (each for each in host.findChildren(QMessageBox) if each.isVisible())
    assert says in told.informativeText()
    qtbot.keyClick(told, Qt.Key.Key_Return)


def chosen(monkeypatch, *files):
    names = [str(file) for file in files]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (names, ""))


def test_the_folder_of_a_pool_is_asked_for(qtbot, host, opener, pool, monkeypatch):
    given = lambda *_: str(pool.place)  # noqa: E731
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", given)
    with qtbot.waitSignal(opener.opened):
        go_on(qtbot, host, "curation_room", "folder of a pool")
    (room,) = opener.rooms
    assert room.isVisible() and room.by == "Grace"
    opener.open_pool(Path(pool.place))  # once more: it comes to the front
    assert opener.rooms == [room]
    qtbot.keyClick(room, Qt.Key.Key_F1)
    assert host.pages == ["cold-start"]
    assert {"cold-start", "rating"} <= {page.name for page in guide("en")}
    host.closing.emit()
    assert opener.rooms == []


def test_a_reviewer_may_be_named(qtbot, opener, pool):
    with qtbot.waitSignal(opener.opened) as opened:
        opener.open_pool(pool.place, "Ada")
    assert opened.args[0].by == "Ada"


def test_what_is_no_pool_is_told(qtbot, host, opener, tmp_path):
    with qtbot.waitSignal(opener.failed):
        opener.open_pool(tmp_path)
    assert "is not a pool" in host.told[0] and opener.rooms == []


def test_a_pool_that_is_asked_for_twice_at_once_is_opened_once(qtbot, opener, pool):
    with qtbot.waitSignal(opener.opened):
        opener.open_pool(Path(pool.place))
    (room,) = opener.rooms
    opener._show_pool("Grace", open_pool(pool.place))  # what was read for the second click
    assert opener.rooms == [room]


def test_chosen_files_of_inspections_open_a_room_of_their_own(
    qtbot, host, opener, material, monkeypatch
):
    chosen(monkeypatch, material.file)
    with qtbot.waitSignal(opener.opened):
        go_on(qtbot, host, "rating_room", "files of inspections")
    (room,) = opener.rooms
    assert room.isVisible() and room.round.by == "Grace" and len(room.round.trajectories) == 4
    qtbot.keyClick(room, Qt.Key.Key_F1)
    assert host.pages == ["rating"]
    host.closing.emit()
    assert opener.rooms == []


def test_nothing_chosen_opens_nothing(opener, monkeypatch):
    chosen(monkeypatch)
    opener._choose_inspections()
    assert opener.rooms == []


def test_a_file_that_is_none_is_told(qtbot, host, opener, tmp_path, monkeypatch):
    (tmp_path / "x.jsonl").write_text("{}\n")
    chosen(monkeypatch, tmp_path / "x.jsonl")
    opener._choose_inspections()
    qtbot.waitUntil(lambda: len(host.told) == 1)
    assert "x.jsonl, line 1" in host.told[0] and opener.rooms == []
