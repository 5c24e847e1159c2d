"""A filter written as text is read back unchanged."""

from __future__ import annotations

from hypothesis import given

from app.core.queue import filter_text, parse_filter
from tests.app.core.queue.trees import TREES


@given(TREES)
def test_a_filter_is_read_back(tree):
    text = filter_text(tree)
    if "id>0" not in text:  # how "everything" is written inside something else
        assert parse_filter(text) == tree
    assert filter_text(parse_filter(text)) == filter_text(parse_filter(filter_text(tree)))
