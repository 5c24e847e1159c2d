"""Simple values as TOML: what our settings hold, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SHORT = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def toml_text(values: Mapping[str, Any]) -> str:
    """Texts, numbers, booleans, lists of them, and tables of these, one deep."""
    tables = {name: value for name, value in values.items() if isinstance(value, Mapping)}
    lines = [_line(name, value) for name, value in values.items() if name not in tables]
    for name, table in tables.items():
        lines += ["", f"[{_key(name)}]", *(_line(each, table[each]) for each in table)]
    return "\n".join([*lines, ""])


def _line(name: str, value: Any) -> str:
    return f"{_key(name)} = {_value(value)}"


def _key(name: str) -> str:
    return name if name and set(name) <= _BARE else _quoted(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_value(each) for each in value)}]"
    raise TypeError(f"no setting is a {type(value).__name__}")


def _quoted(text: str) -> str:
    return f'"{"".join(_escaped(sign) for sign in text)}"'


def _escaped(sign: str) -> str:
    if sign in _SHORT:
        return _SHORT[sign]
    # A path may hold bytes that are no text: surrogates, which TOML cannot.
    if "\ud800" <= sign <= "\udfff":
        return "�"
    return sign if sign.isprintable() or sign > "\x9f" else f"\\u{ord(sign):04x}"
