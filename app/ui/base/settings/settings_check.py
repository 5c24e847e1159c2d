"""Validates every setting read from a file, so that the window can rely on the values."""

import base64
import binascii
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from app.core.evidence.choice import MAX_CHANGES
from app.core.reviewer_name import MAX_NAME
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.actions.key_names import normalized
from app.ui.base.actions.key_profiles import PROFILES
from app.ui.base.theme.theme import THEMES
from app.ui.base.translation.languages import LANGUAGES

MAX_PATH = 4096
MAX_RECENT = 12
MAX_COMMENTS, MAX_COMMENT_LENGTH = 50, 500
MAX_TOLD, MAX_TOLD_LENGTH = 20, 40
MAX_FILES = 50
MAX_WORKERS = 16
MAX_NEIGHBOUR_ARCSEC = 600.0
MIN_SUBCLASS_SECONDS, MAX_SUBCLASS_SECONDS = 0.3, 30.0
MIN_FONT_PT, MAX_FONT_PT = 7, 24
MIN_SHEET, MAX_SHEET = 24, 60
MAX_KEYS = 4
MAX_VIEW = 40
MAX_LAYOUT = 128 * 1024
_MAX_PLAIN = 1000

Check = Callable[[Any], Any]


class InvalidSetting(Exception):
    """A value is not valid; the text says what was expected."""


def is_plain(value: object) -> bool:
    """Whether an unknown value is short and simple enough to be kept for a newer version."""
    if isinstance(value, list):
        return len(value) <= MAX_FILES and all(_is_scalar(each) for each in value)
    return _is_scalar(value)


def _is_scalar(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= _MAX_PLAIN
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, (bool, int)) and abs(value) < 2**63


def _text(longest: int) -> Check:
    def check(value: Any) -> str:
        if not isinstance(value, str) or len(value) > longest or not value.isprintable():
            raise InvalidSetting(f"a line of text of at most {longest} characters")
        return value

    return check


def _texts(at_most: int, longest: int) -> Check:
    one = _text(longest)

    def check(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or len(value) > at_most:
            raise InvalidSetting(f"a list of at most {at_most} texts")
        return tuple(dict.fromkeys(one(each) for each in value if each))

    return check


def _choice(*options: str) -> Check:
    def check(value: Any) -> str:
        if value not in options:
            raise InvalidSetting(" or ".join(options))
        return str(value)

    return check


def _number(low: float, high: float, *also: float) -> Check:
    """Accept a number from `low` to `high`, or one of `also`."""

    def check(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InvalidSetting(f"a number from {low:g} to {high:g}")
        if value not in also and not low <= value <= high:
            raise InvalidSetting(f"a number from {low:g} to {high:g}")
        return value

    return check


def _whole(low: int, high: int, *also: int) -> Check:
    number = _number(low, high, *also)

    def check(value: Any) -> int:
        if not isinstance(value, int):
            raise InvalidSetting(f"a whole number from {low} to {high}")
        return int(number(value))

    return check


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidSetting("true or false")
    return value


def _keys(value: Any) -> dict[str, tuple[str, ...]]:
    """Keys by action; actions unknown to this version are dropped."""
    if not isinstance(value, dict):
        raise InvalidSetting("a table of actions and their keys")
    return {name: _key_list(name, keys) for name, keys in value.items() if name in ACTIONS}


def _key_list(name: str, keys: Any) -> tuple[str, ...]:
    if not isinstance(keys, list) or len(keys) > MAX_KEYS:
        raise InvalidSetting(f"a table of actions, each with at most {MAX_KEYS} keys ({name})")
    names = [normalized(key) if isinstance(key, str) else "" for key in keys]
    if not all(names):
        raise InvalidSetting(f'a table of actions with keys such as "Shift+A" ({name})')
    return tuple(dict.fromkeys(names))


def _view(value: Any) -> dict[str, object]:
    is_table = isinstance(value, dict) and len(value) <= MAX_VIEW
    if not (is_table and all(map(is_plain, value.values()))):
        raise InvalidSetting("a table of simple values")
    return {
        str(name): tuple(each) if isinstance(each, list) else each for name, each in value.items()
    }


def _service_changes(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or len(value) > MAX_CHANGES:
        raise InvalidSetting('a table such as "gaia.release" = "DR4"')
    one = _text(MAX_PATH)
    return {str(name): one(each) for name, each in value.items()}


def _layout(value: Any) -> str:
    if isinstance(value, str) and len(value) <= MAX_LAYOUT and value.isascii():
        with suppress(binascii.Error):
            base64.b64decode(value, validate=True)
            return value
    raise InvalidSetting("the layout as saved by the window")


CHECKS: Mapping[str, Check] = {
    "reviewer": _text(MAX_NAME),
    "language": _choice("system", *LANGUAGES),
    "theme": _choice("system", *THEMES),
    "font_pt": _whole(MIN_FONT_PT, MAX_FONT_PT, 0),
    "profile": _choice(*PROFILES),
    "keys": _keys,
    "blind": _flag,
    "model": _text(MAX_PATH),
    "device": _choice("auto", "cpu", "cuda", "mps"),
    "watch": _flag,
    "workers": _whole(1, MAX_WORKERS),
    "samp": _flag,
    "subclass_seconds": _number(MIN_SUBCLASS_SECONDS, MAX_SUBCLASS_SECONDS, 0),
    "subclass_sticky": _flag,
    "neighbour_arcsec": _number(0.1, MAX_NEIGHBOUR_ARCSEC),
    "sheet_size": _whole(MIN_SHEET, MAX_SHEET),
    "comments": _texts(MAX_COMMENTS, MAX_COMMENT_LENGTH),
    "line_lists": _texts(MAX_FILES, MAX_PATH),
    "templates": _texts(MAX_FILES, MAX_PATH),
    "services": _texts(MAX_FILES, MAX_TOLD_LENGTH),
    "service_changes": _service_changes,
    "told": _texts(MAX_TOLD, MAX_TOLD_LENGTH),
    "recent": _texts(MAX_RECENT, MAX_PATH),
    "view": _view,
    "layout": _layout,
}
