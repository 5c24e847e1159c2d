"""The room is opened from the menu on chosen files, closes with the window, and tells faults."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from app.ui.background.runner import Runner
from app.ui.rating.rating_opener import RatingOpener
from app.ui.settings.settings_store import SettingsStore
from app.ui.theme.theme import CurrentTheme


class Host(QWidget):
    """What the main window lends."""

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
    yield made
    made.runner.close()


def chosen(monkeypatch, *files):
    names = [str(file) for file in files]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (names, ""))


def test_chosen_files_open_a_room_of_their_own(qtbot, host, material, monkeypatch):
    chosen(monkeypatch, material.file)
    host.settings.change(reviewer="Ada")
    opener = RatingOpener(host)
    opener.choose()
    qtbot.waitUntil(lambda: len(opener.windows) == 1)
    (window,) = opener.windows
    assert window.isVisible() and window.desk.by == "Ada" and len(window.desk.trajectories) == 4
    qtbot.keyClick(window, Qt.Key.Key_F1)
    assert host.pages == ["rating"]
    opener.close()
    assert opener.windows == []


def test_nothing_chosen_opens_nothing(host, monkeypatch):
    chosen(monkeypatch)
    opener = RatingOpener(host)
    opener.choose()
    assert opener.windows == []


def test_a_file_that_is_none_is_told(qtbot, host, tmp_path, monkeypatch):
    (tmp_path / "x.jsonl").write_text("{}\n")
    chosen(monkeypatch, tmp_path / "x.jsonl")
    opener = RatingOpener(host)
    opener.choose()
    qtbot.waitUntil(lambda: len(host.told) == 1)
    assert "x.jsonl, line 1" in host.told[0] and opener.windows == []
