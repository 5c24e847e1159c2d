"""Curation rooms are opened from the start page and the menu, and closed with the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget

pytest.importorskip("pyarrow")

from agent.curation.pool import open_pool
from app.ui.actions.commands import Commands
from app.ui.background.runner import Runner
from app.ui.curation.room_opener import GUIDE_PAGE, RoomOpener
from app.ui.help.pages import guide
from app.ui.settings.settings_store import SettingsStore
from app.ui.theme.theme import CurrentTheme


@pytest.fixture
def opener(qtbot):
    window, runner, settings = QWidget(), Runner(), SettingsStore()
    qtbot.addWidget(window)
    settings.change(reviewer="Grace")
    asked: list[str] = []
    made = RoomOpener(runner, settings, CurrentTheme(), asked.append, window)
    made.pages_asked_for = asked
    yield made
    made.close()
    runner.close()


def test_the_folder_of_a_pool_is_asked_for(qtbot, opener, pool, monkeypatch):
    given = lambda *_: str(pool.place)  # noqa: E731
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", given)
    commands = Commands()
    opener.add_commands(commands)
    with qtbot.waitSignal(opener.opened):
        commands.run("curation_room")
    (room,) = opener.rooms
    assert room.isVisible() and room.by == "Grace"
    opener.open_pool(Path(pool.place))  # once more: it comes to the front
    assert opener.rooms == [room]
    room.help_requested.emit()
    assert opener.pages_asked_for == [GUIDE_PAGE]
    assert GUIDE_PAGE in [page.name for page in guide("en")]
    opener.close()
    assert opener.rooms == []


def test_a_reviewer_may_be_named(qtbot, opener, pool):
    with qtbot.waitSignal(opener.opened) as opened:
        opener.open_pool(pool.place, "Ada")
    assert opened.args[0].by == "Ada"


def test_what_is_no_pool_is_told(qtbot, opener, tmp_path):
    with qtbot.waitSignal(opener.failed) as failed:
        opener.open_pool(tmp_path)
    assert "is not a pool" in failed.args[0] and opener.rooms == []


def test_a_pool_that_is_asked_for_twice_at_once_is_opened_once(qtbot, opener, pool):
    with qtbot.waitSignal(opener.opened):
        opener.open_pool(Path(pool.place))
    (room,) = opener.rooms
    opener._show("Grace", open_pool(pool.place))  # what was read for the second click
    assert opener.rooms == [room]
