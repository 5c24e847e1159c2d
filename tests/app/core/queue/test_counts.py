"""Counts that stop in time, and say so."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import SessionError
from app.core.queue import EVERYTHING, Count, Sort, count, parse_filter, position_of
from app.core.queue import walk as walking
from tests.app.core.queue.trees import SORTS, TREES


@settings(max_examples=50)
@given(tree=TREES, at_most=st.integers(1, 200))
def test_how_many_a_filter_shows(seen, tree, at_most):
    number = len(seen.of(tree))
    expected = Count(number, True) if number <= at_most else Count(at_most, False)
    assert count(seen.session, tree, at_most) == expected


@settings(max_examples=50)
@given(tree=TREES, sort=SORTS, number=st.integers(1, 150))
def test_where_one_stands(seen, tree, sort, number):
    order = seen.numbers(EVERYTHING, sort)
    before = set(order[: order.index(number)]) & set(seen.numbers(tree, sort))
    assert position_of(seen.session, number, tree, sort) == Count(len(before), True)


def test_said_in_words():
    assert str(Count(12345, True)) == "12,345"
    assert str(Count(1000, False)) == "1,000+"


def test_a_count_looks_only_so_far(file_scene, monkeypatch):
    for name in ("SOON", "AT_ONCE"):
        monkeypatch.setattr(walking, name, 20)
    found = count(file_scene.session, parse_filter('own."mag r">0'))
    assert found == Count(20, False)


def test_of_nobody(file_scene):
    with pytest.raises(SessionError, match="no candidate 999"):
        position_of(file_scene.session, 999, sort=Sort("score"))
