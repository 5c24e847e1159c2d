"""Profiles, rebinding, and what a press may mean on other people's keyboards."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.ui.actions.actions import ACTIONS
from app.ui.actions.key_names import Press, label, normalized, possible_keys
from app.ui.actions.key_profiles import PROFILES, merge_keys, profile_keys
from app.ui.keys import keymap as keymap_module
from app.ui.keys.keymap import Keymap, KeyTaken
from app.ui.settings.settings_store import SettingsStore

Key = Qt.Key


@pytest.fixture
def keymap():
    return Keymap(SettingsStore())


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_is_whole(profile):
    keys = profile_keys(profile)
    all_keys = [key for each in keys.values() for key in each]
    assert len(all_keys) == len(set(all_keys))
    assert [key for key in all_keys if normalized(key) != key] == []
    assert [name for name, each in ACTIONS.items() if each.keys and not keys[name]] == []
    assert set(PROFILES[profile]) <= set(ACTIONS)


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
        keymap.rebind("accept", ["J", "K", "O", "Q", "Ctrl+J"])


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
    keymap.rebind("find", ["I"])
    keymap.use_profile("candyjar")
    assert keymap.action("I") == "find"
    assert keymap.keys("accept") == ()


def test_of_two_faulty_changes_the_first_has_the_key():
    keys = merge_keys(profile_keys("default"), {"lines": ("Q",), "mask": ("Q", "M")})
    assert (keys["lines"], keys["mask"]) == (("Q",), ("M",))
    assert merge_keys({"lines": ("L",)}, {"gone": ("L",)}) == {"lines": ("L",)}


@pytest.mark.parametrize(
    ("press", "keys"),
    [
        (Press(key=Key.Key_A, text="a"), ("A",)),
        (Press(key=Key.Key_A, text="A"), ("A",)),  # caps lock
        (Press(key=Key.Key_A, text="A", modifiers=("Shift",)), ("Shift+A",)),
        (Press(key=Key.Key_Z, text="\x1a", modifiers=("Ctrl",)), ("Ctrl+Z",)),
        (Press(key=Key.Key_Comma, modifiers=("Ctrl",)), ("Ctrl+,",)),
        (Press(key=Key.Key_Enter, text="\r"), ("Return",)),
        (Press(key=Key.Key_Right, modifiers=("Alt", "Shift")), ("Alt+Shift+Right",)),
        (Press(key=Key.Key_Equal, text="="), ("=", "+")),
        (Press(key=Key.Key_Question, text="?", modifiers=("Shift",)), ("?",)),
        (Press(key=Key.Key_Slash, text="/", modifiers=("Shift",)), ("/",)),  # German: Shift+7
        (Press(key=Key.Key_4, text="4", modifiers=("Shift",)), ("4",)),  # French
        (Press(key=Key.Key_Shift, modifiers=("Shift",)), ()),
        (Press(key=Key.Key_Tab, text="\t"), ()),
        (Press(key=0, text=""), ()),
        (Press(key=Key.Key_unknown, text=""), ()),
        (Press(key=0xC4, text="ä"), ()),
    ],
)
def test_what_a_press_may_mean(press, keys):
    assert possible_keys(press) == keys


@pytest.mark.parametrize("platform", ["xcb", "wayland", "windows", "cocoa"])
def test_layouts_without_latin_letters_have_them_where_they_lie(platform):
    codes = {"windows": (30, 0x41), "cocoa": (1, 0)}.get(platform, (38, 0))
    press = Press(key=0x424, text="ф", platform=platform, scan_code=codes[0], virtual_key=codes[1])
    assert possible_keys(press) == ("A",)


def test_signs_of_such_layouts_are_what_they_write():
    assert possible_keys(Press(key=Key.Key_Period, text=".", platform="xcb", scan_code=61)) == (
        ".",
    )
    assert possible_keys(Press(key=0x445, text="х", platform="xcb", scan_code=34)) == ("[",)


def test_input_methods_in_wide_mode():
    assert possible_keys(Press(key=0xFF41, text="ａ")) == ("A",)
    assert possible_keys(Press(key=0xFF1F, text="？")) == ("?",)
    assert possible_keys(Press(key=0x664, text="٤")) == ("4",)


def test_a_sign_behind_alt_graph():
    press = Press(key=Key.Key_BracketLeft, text="[", modifiers=("Ctrl", "Alt"), platform="windows")
    assert "[" in possible_keys(press)


def test_control_and_a_digit_on_a_french_keyboard():
    press = Press(key=Key.Key_Ampersand, modifiers=("Ctrl",), platform="xcb", scan_code=10)
    assert possible_keys(press) == ("Ctrl+&", "Ctrl+1")


def test_plus_is_a_key_as_well():
    assert (normalized("+"), normalized("ctrl++"), normalized("Ctrl+")) == ("+", "Ctrl++", "")
    assert label("Ctrl++").endswith("+")


def test_keys_are_printed_as_on_the_keyboard(monkeypatch):
    assert [label(key) for key in ("Return", "Escape", "Shift+Right")] == [
        "Enter",
        "Esc",
        "Shift+→",
    ]
    monkeypatch.setattr("sys.platform", "darwin")
    assert label("Ctrl+Shift+Z") == "⌘⇧Z"
