"""Cells as text, and the cache of escaped ones."""

from __future__ import annotations

import csv

import pytest

from app.core.exporting.formats import cells
from app.core.exporting.formats.cells import EscapeCache, cells_text, is_plain, lines_text, quoted


@pytest.mark.parametrize(
    "text", ["a,b", 'say "x"', "two\nlines", " x", "x ", "#x", "\u2028", "plain"]
)
def test_a_quoted_cell_is_read_back(text):
    line = lines_text([[quoted(text)], ["1"]])
    assert next(csv.reader(line.splitlines(keepends=True))) == [text, "1"]
    assert not is_plain(text) or quoted(text) == text


def test_each_text_is_escaped_once_as_long_as_there_is_room(monkeypatch):
    monkeypatch.setattr(cells, "MAX_CACHED", 2)
    calls = []

    def escape(text):
        calls.append(text)
        return text.upper()

    cache = EscapeCache(escape, str.isdigit)
    assert cells_text(["a", "b", "a", None], cache) == ["A", "B", "A", ""]
    assert calls[:2] == ["a", "b"]
    assert cache.all(["1", "c", "c"]) == ["1", "C", "C"]
    assert calls[-2:] == ["c", "c"]  # the cache is full
    assert len(cache) == 2


def test_numbers_and_missing_values():
    cache = EscapeCache(quoted, is_plain)
    assert cells_text([1, None], cache) == ["1", ""]
    assert cells_text([0.1, 2.0], cache) == ["0.1", "2.0"]
    assert cells_text([True, "a,b", None], cache) == ["True", '"a,b"', ""]
