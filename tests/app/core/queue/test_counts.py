"""Counts stop at their limit and say so."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.queue import Count, count, parse_filter
from app.core.queue import walk as walking
from tests.app.core.queue.trees import TREES
from tests.night import examples


@settings(max_examples=examples(50))
@given(tree=TREES, at_most=st.integers(1, 200))
def test_how_many_a_filter_shows(seen, tree, at_most):
    number = len(seen.of(tree))
    expected = Count(number, True) if number <= at_most else Count(at_most, False)
    assert count(seen.session, tree, at_most) == expected


def test_said_in_words():
    assert str(Count(12345, True)) == "12,345"
    assert str(Count(1000, False)) == "1,000+"


def test_a_count_looks_only_so_far(file_scene, monkeypatch):
    for name in ("FIRST_ROWS", "ROWS_A_CALL"):
        monkeypatch.setattr(walking, name, 20)
    found = count(file_scene.session, parse_filter('own."mag r">0'))
    assert found == Count(20, False)
