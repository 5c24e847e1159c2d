"""Rebinding keys and switching profiles."""

import pytest

from app.ui.base.keys import keymap as keymap_module
from app.ui.base.keys.keymap import Keymap, KeyTaken
from app.ui.base.settings.settings_store import SettingsStore

OF_OTHERS = {
    "marz": {"4": "accept_4", "2": "unsure_2", "6": "reject", "Right": "rv_up", "N": "next",
             "Return": "take_proposal"},
    "specvizitor": {"S": "star", "E": "comment", "/": "find", "F": "full_screen"},
    "linetools": {"I": "zoom_in", "W": "whole"},
    "candyjar": {"D": "next", "I": "accept", "Y": "reject"},
}  # fmt: skip


@pytest.fixture
def keymap():
    return Keymap(SettingsStore())


def test_keys_as_another_program_has_them(keymap):
    for profile, keys in OF_OTHERS.items():
        keymap.use_profile(profile)
        assert {key: keymap.action(key) for key in keys} == keys


def test_other_settings_arrange_nothing(monkeypatch):
    settings = SettingsStore()
    keymap = Keymap(settings)
    done = []
    monkeypatch.setattr(keymap_module, "merge_keys", lambda *given: done.append(given) or {})
    settings.change(language="zh", layout="x")
    assert done == []
    settings.change(profile="marz")
    assert (len(done), keymap.profile) == (1, "marz")


def test_what_is_taken_or_no_key_is_refused(keymap):
    with pytest.raises(KeyTaken, match=r"X is already used for “Reject”"):
        keymap.rebind("accept", ["X"])
    assert keymap.keys("accept") == ("A",)
    for key in ["Escape", "Ctrl+Escape", "", "AA", "Shift+", "Hyper+A"]:
        with pytest.raises(KeyTaken):
            keymap.rebind("accept", [key])
    with pytest.raises(KeyTaken, match="at most"):
        keymap.rebind("accept", ["J", "K", "O", "Alt+I", "Ctrl+J"])
    keymap.rebind("escape", ["Escape"])
    assert not keymap.is_changed("escape")
    settings = SettingsStore()
    settings.change(keys={"escape": ("J",), "accept": ("Escape",)})
    assert Keymap(settings).action("J") is None


def test_a_free_key_is_given_taken_away_and_brought_back(qtbot, keymap):
    with qtbot.waitSignal(keymap.changed):
        keymap.rebind("accept", [])
    assert (keymap.label("accept"), keymap.action("A")) == ("", None)
    keymap.reset("accept")
    assert keymap.action("A") == "accept" and not keymap.is_changed("accept")
    keymap.rebind("accept", ["J", "shift+j"])
    assert keymap.keys("accept") == ("J", "Shift+J")
    assert (keymap.action("J"), keymap.action("A")) == ("accept", None)
    assert keymap.is_changed("accept")


def test_a_change_wins_over_a_new_profile_and_a_reset_is_refused(keymap):
    keymap.rebind("accept", ["J"])
    keymap.rebind("lines", ["A"])
    with pytest.raises(KeyTaken, match="Lines"):
        keymap.reset("accept")
    keymap.reset_all()
    assert (keymap.action("A"), keymap.action("L")) == ("accept", "lines")
    keymap.rebind("measure", ["J"])
    keymap.rebind("find", ["I"])
    keymap.use_profile("candyjar")
    assert keymap.action("I") == "find" and keymap.keys("accept") == ()
