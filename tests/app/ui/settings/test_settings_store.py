"""When the store reads, writes and complains."""

from __future__ import annotations

import tomllib

import pytest

from app.core.reviewer_name import MAX_BYTES
from app.ui.settings.settings import Settings
from app.ui.settings.settings_store import SettingsStore
from tests.app.ui.settings.helpers import store_with


def test_without_a_file_all_is_as_it_comes(path):
    store = SettingsStore(path)
    assert (store.settings, store.fault) == (Settings(), "")
    store.close()
    assert not path.exists()


def test_it_is_written_soon_after_a_change(qtbot, path):
    store = SettingsStore(path)
    store.change(theme="dark")
    qtbot.waitUntil(path.exists)
    assert tomllib.loads(path.read_text())["theme"] == "dark"
    assert [each.name for each in path.parent.iterdir()] == ["settings.toml"]


@pytest.mark.parametrize(
    "text",
    [
        "theme = ",
        b"\xff\xfe\x00",
        "a = " + "[" * 5000,
        "n = " + "9" * 5000,
        "# " + "x" * MAX_BYTES,
    ],
)
def test_a_faulty_file_is_kept_aside_and_told(path, text):
    store = store_with(path, text)
    assert store.settings == Settings()
    assert "settings.toml.bak" in store.fault
    old = text if isinstance(text, bytes) else text.encode()
    assert path.with_name("settings.toml.bak").read_bytes() == old


def test_where_nothing_can_be_written_it_says_so_once(tmp_path):
    (tmp_path / "file").write_text("in the way")
    store = SettingsStore(tmp_path / "file" / "settings.toml")
    messages = []
    store.write_failed.connect(messages.append)
    for theme in ("dark", "light"):
        store.change(theme=theme)
        store.close()
    assert store.settings.theme == "light"
    assert len(messages) == 1
    assert "cannot be written" in messages[0]


def test_without_a_path_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = SettingsStore()
    store.change(theme="dark")
    store.flush()
    assert list(tmp_path.iterdir()) == []
