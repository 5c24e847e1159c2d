"""Names of keys as written in actions.py, and the keys that a key event can stand for."""

import sys
import unicodedata
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent

_ROWS = {2: "1234567890-=", 16: "qwertyuiop[]", 30: "asdfghjkl;'`", 43: "\\zxcvbnm,./"}
_BY_SCAN_CODE = {
    first + column: sign for first, row in _ROWS.items() for column, sign in enumerate(row)
}
"""US layout by Windows scan code; X11 and Wayland codes are 8 higher."""
_MAC_CODES = (*range(10), *range(11, 36), *range(37, 48))
_MAC_LETTERS = "asdfhgzxcvbqweryt123465=97-80]ou[iplj'k;\\,/nm."
_BY_MAC_KEY: dict[int, str] = dict(zip(_MAC_CODES, _MAC_LETTERS, strict=True))
_X11_OFFSET = 8


def us_layout_sign(platform: str, scan_code: int, virtual_key: int) -> str:
    """The character at this physical key on a US layout, or "" if unknown.

    `platform` is `QGuiApplication.platformName()`.
    """
    if platform == "cocoa":
        return _BY_MAC_KEY.get(virtual_key, "")
    if platform == "windows":
        return _BY_SCAN_CODE.get(scan_code, "")
    return _BY_SCAN_CODE.get(scan_code - _X11_OFFSET, "")


_HELD = {
    "Meta": Qt.KeyboardModifier.MetaModifier,
    "Ctrl": Qt.KeyboardModifier.ControlModifier,
    "Alt": Qt.KeyboardModifier.AltModifier,
    "Shift": Qt.KeyboardModifier.ShiftModifier,
}
MODIFIERS = tuple(_HELD)  # in the order in which they are written
_NAMED = (
    *("Left", "Right", "Up", "Down", "Home", "End", "PageUp", "PageDown"),
    *("Insert", "Delete", "Return", "Escape", "Space", "Backspace"),
    *(f"F{number}" for number in range(1, 25)),
)
"""Keys that are written as Qt names them."""
_BY_CODE = {int(Qt.Key[f"Key_{name}"]): name for name in _NAMED}
_BY_CODE[int(Qt.Key.Key_Enter)] = "Return"
_OTHER_SPELLINGS = {"enter": "Return", "esc": "Escape", "del": "Delete"}
_CANONICAL = {name.lower(): name for name in _NAMED} | _OTHER_SPELLINGS
# Qt key codes below this value are Unicode characters; from here on they are keys without text.
_FIRST_NON_CHARACTER = 0x01000000
_MAC_SIGNS = {"Meta": "⌃", "Ctrl": "⌘", "Alt": "⌥", "Shift": "⇧"}
_ARROWS = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓"}


@dataclass(frozen=True, kw_only=True)
class Press:
    """The parts of a QKeyEvent that decide which key it is."""

    key: int
    text: str = ""
    modifiers: tuple[str, ...] = ()
    platform: str = ""
    scan_code: int = 0
    virtual_key: int = 0


def press_of(event: QKeyEvent) -> Press:
    held = event.modifiers()
    return Press(
        key=event.key(),
        text=event.text(),
        modifiers=tuple(name for name, modifier in _HELD.items() if modifier in held),
        platform=QGuiApplication.platformName(),
        scan_code=event.nativeScanCode(),
        virtual_key=event.nativeVirtualKey(),
    )


def possible_keys(press: Press) -> tuple[str, ...]:
    """The keys this press can mean, likeliest first; empty for a modifier on its own."""
    if (name := _BY_CODE.get(press.key)) is not None:
        return (_joined(press.modifiers, name),)
    sign = _typed_sign(press)
    if _is_ascii_letter(sign):
        return (_joined(press.modifiers, sign.upper()),)
    physical = us_layout_sign(press.platform, press.scan_code, press.virtual_key)
    if physical and sign.isalpha() and not unicodedata.name(sign, "").startswith("LATIN"):
        # Cyrillic, Greek and others: use the Latin letter at the same place on the keyboard.
        return _sign_keys(press.modifiers, physical)
    keys = _sign_keys(press.modifiers, sign) if sign and sign.isascii() else ()
    if physical.isdigit() and {"Ctrl", "Alt"} & set(press.modifiers):
        # French layouts need Shift for digits, and Option changes the character on a Mac.
        keys = (*keys, *_sign_keys(press.modifiers, physical))
    return tuple(dict.fromkeys(keys))


def normalized(text: str) -> str:
    """The key in canonical spelling, or "" if `text` is not a key."""
    *modifiers, key = split_key(text)
    names = {each.lower(): each for each in MODIFIERS}
    if not all(each.lower() in names for each in modifiers):
        return ""
    held = {names[each.lower()] for each in modifiers}
    if key.lower() in _CANONICAL:
        return _joined(held, _CANONICAL[key.lower()])
    if len(key) != 1 or not key.isascii() or not key.isprintable() or key == " ":
        return ""
    # Whether a sign such as ? needs Shift depends on the layout, so Shift is not part of its name.
    return _joined(held if key.isalpha() else held - {"Shift"}, key.upper())


def label(key: str) -> str:
    """The key as printed on a keyboard, in the language of the window."""
    *modifiers, last = split_key(key)
    titles = {
        "Return": QCoreApplication.translate("keys", "Enter"),
        "Escape": QCoreApplication.translate("keys", "Esc"),
        "Space": QCoreApplication.translate("keys", "Space"),
        "Backspace": QCoreApplication.translate("keys", "Backspace"),
    }
    last = (_ARROWS | titles).get(last, last)
    if sys.platform == "darwin":
        return "".join(_MAC_SIGNS[each] for each in modifiers) + last
    return "+".join([*modifiers, last])


def split_key(text: str) -> list[str]:
    """Split into modifiers and, last, the key itself."""
    if text == "+" or text.endswith("++"):
        return [*text[:-1].split("+")[:-1], "+"]
    return text.split("+")


def _sign_keys(modifiers: tuple[str, ...], sign: str) -> tuple[str, ...]:
    if sign.isalpha():
        return (_joined(modifiers, sign.upper()),)
    held = set(modifiers) - {"Shift"}
    keys = [_joined(held, sign)]
    # AltGr on Windows (reported as Ctrl+Alt) and Option on a Mac only help to type the sign.
    if held == {"Ctrl", "Alt"} or (held == {"Alt"} and sys.platform == "darwin"):
        keys.append(sign)
    if sign == "=":
        keys.append(_joined(held, "+"))
    return tuple(keys)


def _typed_sign(press: Press) -> str:
    """The character that the press types, with full-width and other variants normalized."""
    code = press.key
    by_key = chr(code) if 0x20 < code < _FIRST_NON_CHARACTER and code <= sys.maxunicode else ""
    if len(by_key) == 1 and _is_ascii_letter(by_key):
        return by_key
    text = unicodedata.normalize("NFKC", press.text)
    sign = text if len(text) == 1 and text.isprintable() and text != " " else by_key
    decimal = unicodedata.decimal(sign, None) if sign else None
    return sign if decimal is None else str(decimal)


def _joined(modifiers: tuple[str, ...] | set[str], key: str) -> str:
    return "+".join([*(each for each in MODIFIERS if each in modifiers), key])


def _is_ascii_letter(sign: str) -> bool:
    return len(sign) == 1 and sign.isascii() and sign.isalpha()
