"""Actions: their table and key profiles, how they are run, and the keys that a press stands for."""

import pytest
from PySide6.QtCore import Qt

from app.ui.base.actions.actions import ACTIONS, COMMITTING, GROUPS
from app.ui.base.actions.commands import Commands
from app.ui.base.actions.key_names import Press, label, normalized, possible_keys
from app.ui.base.actions.key_profiles import PROFILES, merge_keys, profile_keys


def test_groups_are_known_titles_unique_and_no_verdict_repeats():
    assert {action.group for action in ACTIONS.values()} == set(GROUPS)
    assert not [name for name in COMMITTING if ACTIONS[name].repeats]
    titles = [action.title for name, action in ACTIONS.items() if not name.startswith("window_")]
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_is_whole(profile):
    keys = profile_keys(profile)
    all_keys = [key for each in keys.values() for key in each]
    assert len(all_keys) == len(set(all_keys))
    assert [key for key in all_keys if normalized(key) != key] == []
    assert [name for name, each in ACTIONS.items() if each.keys and not keys[name]] == []
    assert set(PROFILES[profile]) <= set(ACTIONS)


def test_of_two_faulty_changes_the_first_has_the_key():
    keys = merge_keys(profile_keys("default"), {"lines": ("Q",), "mask": ("Q", "M")})
    assert (keys["lines"], keys["mask"]) == (("Q",), ("M",))
    assert merge_keys({"lines": ("L",)}, {"gone": ("L",)}) == {"lines": ("L",)}


@pytest.fixture
def ran():
    return []


@pytest.fixture
def commands(qapp, ran):
    commands = Commands()
    commands.add("next", lambda: ran.append("next"))
    commands.add("peek", lambda: ran.append("peek"), lambda: ran.append("end"))
    return commands


def test_a_command_runs_and_is_announced(qtbot, commands, ran):
    with qtbot.waitSignal(commands.ran) as signal:
        commands.run("next")
    assert (signal.args, ran) == (["next"], ["next"])
    commands.run("previous")
    assert ran == ["next"]


def test_a_held_command_ends_on_release(commands, ran):
    commands.run("peek")
    for name in ("next", "peek"):
        commands.release(name)
    assert ran == ["peek", "end"] and commands.has_end("peek") and not commands.has_end("next")


def test_a_page_overrides_a_command_for_a_while(commands, ran):
    commands.override({"next": lambda: ran.append("of the page")})
    assert commands.is_overridden("next") and not commands.is_overridden("peek")
    commands.run("next")
    commands.override({})
    commands.run("next")
    assert ran == ["of the page", "next"]


def test_unknown_actions_are_refused_and_cleared_ones_are_gone(commands, ran):
    with pytest.raises(KeyError, match="unknown action 'fly'"):
        commands.add("fly", lambda: None)
    commands.clear()
    commands.run("next")
    assert not commands.can("next") and ran == []


Key = Qt.Key


def test_what_a_press_may_mean():
    for press, keys in [
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
    ]:
        assert possible_keys(press) == keys


def test_other_layouts_wide_signs_and_plus():
    for platform in ["xcb", "wayland", "windows", "cocoa"]:
        code, virtual = {"windows": (30, 0x41), "cocoa": (1, 0)}.get(platform, (38, 0))
        place = {"platform": platform, "scan_code": code, "virtual_key": virtual}
        press = Press(key=0x424, text="ф", **place)
        assert possible_keys(press) == ("A",)
    press = Press(key=Key.Key_Period, text=".", platform="xcb", scan_code=61)
    assert possible_keys(press) == (".",)
    assert possible_keys(Press(key=0x445, text="х", platform="xcb", scan_code=34)) == ("[",)
    assert possible_keys(Press(key=0xFF41, text="ａ")) == ("A",)
    assert possible_keys(Press(key=0xFF1F, text="？")) == ("?",)
    assert possible_keys(Press(key=0x664, text="٤")) == ("4",)
    press = Press(key=Key.Key_BracketLeft, text="[", modifiers=("Ctrl", "Alt"), platform="windows")
    assert "[" in possible_keys(press)
    press = Press(key=Key.Key_Ampersand, modifiers=("Ctrl",), platform="xcb", scan_code=10)
    assert possible_keys(press) == ("Ctrl+&", "Ctrl+1")
    assert (normalized("+"), normalized("ctrl++"), normalized("Ctrl+")) == ("+", "Ctrl++", "")
    assert label("Ctrl++").endswith("+")


def test_keys_are_printed_as_on_the_keyboard(monkeypatch):
    printed = {"Return": "Enter", "Escape": "Esc", "Shift+Right": "Shift+→"}
    assert {key: label(key) for key in printed} == printed
    monkeypatch.setattr("sys.platform", "darwin")
    assert label("Ctrl+Shift+Z") == "⌘⇧Z"
