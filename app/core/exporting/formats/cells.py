"""Cells as text for CSV and ECSV."""

import re
from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any

from app.core.exporting.table import text_of

MAX_CACHED = 4096

_QUOTED = re.compile(r"[\",\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|\A\s|\s\Z|\A#")

# Matches only texts that need no escaping, in a single fast pass.
_PLAIN = re.compile(
    r"[^=+\-@＝＋－＠'#\s\",;\x1c-\x1e\x85\u2028\u2029]"
    r"[^\",;\t\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]*(?<!\s)"
)
is_plain = _PLAIN.fullmatch


def quoted(text: str) -> str:
    """The text in quotes if a reader might otherwise split it or take it for a comment."""
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


class EscapeCache(dict[str, str]):
    """Escapes texts and caches the results, since many columns have few distinct values.

    `is_plain` is a fast check that is true only for texts that `escape` returns unchanged.
    """

    def __init__(self, escape: Callable[[str], str], is_plain: Callable[[str], object]) -> None:
        super().__init__()
        self._escape = escape
        self._is_plain = is_plain

    def __missing__(self, text: str) -> str:
        escaped = self._escape(text)
        if len(self) < MAX_CACHED:
            self[text] = escaped
        return escaped

    def all(self, texts: Sequence[str]) -> list[str]:
        if len(self) < MAX_CACHED:
            return [self[text] for text in texts]
        escape, is_plain = self._escape, self._is_plain
        return [text if is_plain(text) else escape(text) for text in texts]


def cells_text(cells: Sequence[Any], cache: EscapeCache) -> list[str]:
    """The texts of one column of a page; empty for missing values."""
    types = set(map(type, cells))
    has_missing = NoneType in types
    types.discard(NoneType)
    if not types:
        return [""] * len(cells)
    if types == {str}:
        texts = ["" if cell is None else cell for cell in cells] if has_missing else cells
        return cache.all(texts)
    if types in ({float}, {int}, {bool}):
        if has_missing:
            return ["" if cell is None else repr(cell) for cell in cells]
        return list(map(repr, cells))
    return ["" if cell is None else cache[text_of(cell)] for cell in cells]


def lines_text(columns: Sequence[Sequence[str]]) -> str:
    return "\n".join(map(",".join, zip(*columns, strict=True))) + "\n"
