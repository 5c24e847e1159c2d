"""Rebinding keys and switching profiles."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.ui.keys import keymap as keymap_module
from app.ui.keys.keymap import Keymap, KeyTaken
from app.ui.settings.settings_store import SettingsStore

Key = Qt.Key


@pytest.fixture
def keymap():
    return Keymap(SettingsStore())


@pytest.mark.parametrize(
    ("profile", "key", "action"),
    [
        ("marz", "4", "accept_4"),
        ("marz", "2", "unsure_2"),
        ("marz", "6", "reject"),
        ("marz", "Right", "rv_up"),
        ("marz", "N", "next"),
        ("marz", "Return", "take_proposal"),
        ("specvizitor", "S", "star"),
        ("specvizitor", "E", "comment"),
        ("specvizitor", "/", "find"),
        ("specvizitor", "F", "full_screen"),
        ("linetools", "I", "zoom_in"),
        ("linetools", "W", "whole"),
        ("candyjar", "D", "next"),
        ("candyjar", "I", "accept"),
        ("candyjar", "Y", "reject"),
    ],
)
def test_keys_as_another_program_has_them(keymap, profile, key, action):
    keymap.use_profile(profile)
    assert keymap.action(key) == action


def test_other_settings_arrange_nothing(monkeypatch):
    settings = SettingsStore()
    keymap = Keymap(settings)
    done = []
    monkeypatch.setattr(keymap_module, "merge_keys", lambda *given: done.append(given) or {})
    settings.change(language="zh", layout="x")
    assert done == []
    settings.change(profile="marz")
    assert (len(done), keymap.profile) == (1, "marz")


def test_a_free_key_is_given(keymap):
    keymap.rebind("accept", ["J", "shift+j"])
    assert keymap.keys("accept") == ("J", "Shift+J")
    assert (keymap.action("J"), keymap.action("A")) == ("accept", None)
    assert keymap.is_changed("accept")


def test_a_taken_key_is_refused_and_the_other_action_named(keymap):
    with pytest.raises(KeyTaken, match=r"X is already used for “Reject”"):
        keymap.rebind("accept", ["X"])
    assert keymap.keys("accept") == ("A",)


@pytest.mark.parametrize("key", ["Escape", "Ctrl+Escape", "", "AA", "Shift+", "Hyper+A"])
def test_what_is_no_key_is_refused(keymap, key):
    with pytest.raises(KeyTaken):
        keymap.rebind("accept", [key])


def test_no_more_keys_than_can_be_shown(keymap):
    with pytest.raises(KeyTaken, match="at most"):
        keymap.rebind("accept", ["J", "K", "O", "Alt+I", "Ctrl+J"])


def test_escape_keeps_its_meaning(keymap):
    keymap.rebind("escape", ["Escape"])
    assert not keymap.is_changed("escape")
    settings = SettingsStore()
    settings.change(keys={"escape": ("J",), "accept": ("Escape",)})
    assert Keymap(settings).action("J") is None


def test_a_key_can_be_taken_away_and_brought_back(qtbot, keymap):
    with qtbot.waitSignal(keymap.changed):
        keymap.rebind("accept", [])
    assert (keymap.label("accept"), keymap.action("A")) == ("", None)
    keymap.reset("accept")
    assert keymap.action("A") == "accept"
    assert not keymap.is_changed("accept")


def test_reset_is_refused_where_the_key_went_elsewhere(keymap):
    keymap.rebind("accept", ["J"])
    keymap.rebind("lines", ["A"])
    with pytest.raises(KeyTaken, match="Lines"):
        keymap.reset("accept")
    keymap.reset_all()
    assert (keymap.action("A"), keymap.action("L")) == ("accept", "lines")


def test_a_change_wins_over_a_new_profile(keymap):
    keymap.rebind("measure", ["J"])
    keymap.rebind("find", ["I"])
    keymap.use_profile("candyjar")
    assert keymap.action("I") == "find"
    assert keymap.keys("accept") == ()
