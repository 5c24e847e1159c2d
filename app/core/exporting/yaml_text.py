"""YAML of one line: as much of it as a table's header needs, readable by any YAML program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def yaml_line(value: object) -> str:
    """Texts in double quotes and ASCII, numbers, truths, null; lists and mappings in brackets."""
    if isinstance(value, str):
        return yaml_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        pairs = (f"{yaml_text(str(key))}: {yaml_line(each)}" for key, each in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(yaml_line, value)) + "]"
    raise TypeError(f"no YAML for {type(value).__name__}")


def yaml_text(text: str) -> str:
    return '"' + "".join(map(_character, text)) + '"'


def _character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if " " <= character <= "~":
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
