"""Which key a press stands for on keyboards around the world."""

from PySide6.QtCore import Qt

from app.ui.base.actions.key_names import Press, label, normalized, possible_keys

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
