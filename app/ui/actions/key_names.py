"""How keys are written (see actions.py), and which of them a press may mean."""

from __future__ import annotations

import sys
import unicodedata
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent

_ROWS = {2: "1234567890-=", 16: "qwertyuiop[]", 30: "asdfghjkl;'`", 43: "\\zxcvbnm,./"}
_BY_SCAN_CODE = {
    first + place: sign for first, row in _ROWS.items() for place, sign in enumerate(row)
}
"""As Windows has them; X11 and Wayland count from eight more."""
_ON_A_MAC = dict(enumerate("asdfhgzxcv")) | dict(
    zip(
        (*range(11, 36), *range(37, 40), *range(40, 48)),
        "bqweryt123465=97-80]ou[iplj'k;\\,/nm.",
        strict=True,
    )
)
_X11_OFFSET = 8


def sign_there(platform: str, scan_code: int, virtual_key: int) -> str:
    """`platform` as QGuiApplication names it; empty where nobody knows."""
    if platform == "cocoa":
        return _ON_A_MAC.get(virtual_key, "")
    if platform == "windows":
        return _BY_SCAN_CODE.get(scan_code, "")
    return _BY_SCAN_CODE.get(scan_code - _X11_OFFSET, "")


CONTEXT = "keys"
MODIFIERS = ("Meta", "Ctrl", "Alt", "Shift")
"""In the order they are written in."""
_NAMED = {
    Qt.Key.Key_Left: "Left",
    Qt.Key.Key_Right: "Right",
    Qt.Key.Key_Up: "Up",
    Qt.Key.Key_Down: "Down",
    Qt.Key.Key_Home: "Home",
    Qt.Key.Key_End: "End",
    Qt.Key.Key_PageUp: "PageUp",
    Qt.Key.Key_PageDown: "PageDown",
    Qt.Key.Key_Insert: "Insert",
    Qt.Key.Key_Delete: "Delete",
    Qt.Key.Key_Return: "Return",
    Qt.Key.Key_Enter: "Return",
    Qt.Key.Key_Escape: "Escape",
    Qt.Key.Key_Space: "Space",
    Qt.Key.Key_Backspace: "Backspace",
    **{Qt.Key(Qt.Key.Key_F1 + number): f"F{number + 1}" for number in range(24)},
}
_BY_CODE = {int(code): name for code, name in _NAMED.items()}
_CANONICAL = {name.lower(): name for name in _NAMED.values()} | {
    "enter": "Return",
    "esc": "Escape",
    "del": "Delete",
}
_FIRST_NO_SIGN = 0x01000000
"""Qt's codes of keys that write nothing begin here; below it they are Unicode."""
_MAC_SIGNS = {"Meta": "⌃", "Ctrl": "⌘", "Alt": "⌥", "Shift": "⇧"}
_ARROWS = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓"}


@dataclass(frozen=True, kw_only=True)
class Press:
    """What a key event says."""

    key: int
    text: str = ""
    modifiers: tuple[str, ...] = ()
    platform: str = ""
    scan_code: int = 0
    virtual_key: int = 0


def press_of(event: QKeyEvent) -> Press:
    held = event.modifiers()
    names = {
        "Meta": Qt.KeyboardModifier.MetaModifier,
        "Ctrl": Qt.KeyboardModifier.ControlModifier,
        "Alt": Qt.KeyboardModifier.AltModifier,
        "Shift": Qt.KeyboardModifier.ShiftModifier,
    }
    return Press(
        key=event.key(),
        text=event.text(),
        modifiers=tuple(name for name in MODIFIERS if names[name] in held),
        platform=QGuiApplication.platformName(),
        scan_code=event.nativeScanCode(),
        virtual_key=event.nativeVirtualKey(),
    )


def spellings(press: Press) -> tuple[str, ...]:
    """The keys it may mean, the likeliest first; nothing for Shift alone and its like."""
    name = _BY_CODE.get(press.key)
    if name is not None:
        return (_written(press.modifiers, name),)
    sign = _sign(press)
    if _is_ascii_letter(sign):
        return (_written(press.modifiers, sign.upper()),)
    there = sign_there(press.platform, press.scan_code, press.virtual_key)
    if sign and sign.isalpha() and not _is_latin(sign) and there:
        return _of_a_sign(press.modifiers, there)
    found = _of_a_sign(press.modifiers, sign) if sign and sign.isascii() else ()
    if there.isdigit() and {"Ctrl", "Alt"} & set(press.modifiers):
        # A French keyboard has its digits behind Shift, a Mac other signs behind Option.
        found = (*found, *_of_a_sign(press.modifiers, there))
    return tuple(dict.fromkeys(found))


def normal(text: str) -> str:
    """A key as we write it; empty for what is none."""
    *modifiers, key = parts(text)
    names = {each.lower(): each for each in MODIFIERS}
    if not all(each.lower() in names for each in modifiers):
        return ""
    held = {names[each.lower()] for each in modifiers}
    if key.lower() in _CANONICAL:
        return _written(held, _CANONICAL[key.lower()])
    if len(key) != 1 or not key.isascii() or not key.isprintable() or key == " ":
        return ""
    # Whatever Shift a sign needs is the layout's business.
    return _written(held if key.isalpha() else held - {"Shift"}, key.upper())


def label(key: str) -> str:
    """As it is printed on a key, in the language of the window."""
    *modifiers, last = parts(key)
    last = _ARROWS.get(last) or _translated(last)
    if sys.platform == "darwin":
        return "".join(_MAC_SIGNS[each] for each in modifiers) + last
    return "+".join([*modifiers, last])


def parts(text: str) -> list[str]:
    """The modifiers, and the key last."""
    if text == "+" or text.endswith("++"):
        return [*text[:-1].split("+")[:-1], "+"]
    return text.split("+")


def _translated(name: str) -> str:
    words = {
        "Return": QCoreApplication.translate("keys", "Enter"),
        "Escape": QCoreApplication.translate("keys", "Esc"),
        "Space": QCoreApplication.translate("keys", "Space"),
        "Backspace": QCoreApplication.translate("keys", "Backspace"),
    }
    return words.get(name, name)


def _of_a_sign(modifiers: tuple[str, ...], sign: str) -> tuple[str, ...]:
    if sign.isalpha():
        return (_written(modifiers, sign.upper()),)
    held = set(modifiers) - {"Shift"}
    found = [_written(held, sign)]
    is_typed = held == {"Ctrl", "Alt"} or (held == {"Alt"} and sys.platform == "darwin")
    if is_typed:  # AltGr on Windows, Option on a Mac: how the layout writes this sign
        found.append(sign)
    if sign == "=":
        found.append(_written(held, "+"))
    return tuple(found)


def _sign(press: Press) -> str:
    """The one written by it, full-width and other forms made plain."""
    code = press.key
    by_key = chr(code) if 0x20 < code < _FIRST_NO_SIGN and code <= sys.maxunicode else ""
    if len(by_key) == 1 and _is_ascii_letter(by_key):
        return by_key
    text = unicodedata.normalize("NFKC", press.text)
    sign = text if len(text) == 1 and text.isprintable() and text != " " else by_key
    decimal = unicodedata.decimal(sign, None) if sign else None
    return sign if decimal is None else str(decimal)


def _written(modifiers: tuple[str, ...] | set[str], key: str) -> str:
    return "+".join([*(each for each in MODIFIERS if each in modifiers), key])


def _is_ascii_letter(sign: str) -> bool:
    return len(sign) == 1 and sign.isascii() and sign.isalpha()


def _is_latin(sign: str) -> bool:
    return unicodedata.name(sign, "").startswith("LATIN")
