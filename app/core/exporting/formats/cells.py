"""Cells as the text of CSV and ECSV."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any

from app.core.exporting.column_buffer import text_of

MAX_KEPT = 4096

_QUOTED = re.compile(r"[\",\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|\A\s|\s\Z|\A#")


# One pass over the text, where the rules themselves take several.
_PLAIN = re.compile(
    r"[^=+\-@＝＋－＠'#\s\",\x1c-\x1e\x85\u2028\u2029]"
    r"[^\",\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]*(?<!\s)"
)
is_plain = _PLAIN.fullmatch


def quoted(text: str) -> str:
    """Within quotes where a reader might otherwise see more than one cell, or a comment."""
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


class Spelling(dict[str, str]):
    """How texts are written. Where few differ each is made once.

    `is_plain` is quick, and true only of what is written as it is.
    """

    def __init__(self, say: Callable[[str], str], is_plain: Callable[[str], object]) -> None:
        super().__init__()
        self._say = say
        self._is_plain = is_plain

    def __missing__(self, text: str) -> str:
        said = self._say(text)
        if len(self) < MAX_KEPT:
            self[text] = said
        return said

    def all(self, texts: Sequence[str]) -> list[str]:
        if len(self) < MAX_KEPT:
            return [self[text] for text in texts]
        say, is_plain = self._say, self._is_plain
        return [text if is_plain(text) else say(text) for text in texts]


def cells_text(cells: Sequence[Any], say: Spelling) -> list[str]:
    """One column of a page; nothing where there is no value."""
    types = set(map(type, cells))
    has_none = NoneType in types
    types.discard(NoneType)
    if not types:
        return [""] * len(cells)
    if types == {str}:
        given = ["" if cell is None else cell for cell in cells] if has_none else cells
        return say.all(given)
    if types in ({float}, {int}, {bool}):
        if has_none:
            return ["" if cell is None else repr(cell) for cell in cells]
        return list(map(repr, cells))
    return ["" if cell is None else say[text_of(cell)] for cell in cells]


def lines_text(columns: Sequence[Sequence[str]]) -> str:
    """The lines of a page, each with its end."""
    return "\n".join(map(",".join, zip(*columns, strict=True))) + "\n"
