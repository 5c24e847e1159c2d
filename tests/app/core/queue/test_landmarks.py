"""Landmarks lead to every row of a queue, whatever its filter and order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.queue import EVERYTHING, LIST_ORDER, matching
from app.core.queue import landmarks as marking
from app.core.queue.landmarks import block_rows, landmarks
from tests.app.core.queue.scenes import SORTS, TREES
from tests.night import examples


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(marking, "BLOCK", 7)
    monkeypatch.setattr(marking, "FIRST_CALL", 14)


def all_of(session, tree, sort, rows):
    """Every landmark, and how many lines there are."""
    found = landmarks(session, tree, sort)
    ends = list(found.ends)
    while found.end is not None:
        found = landmarks(session, tree, sort, after=found.end, rest=found.rest, rows=rows)
        ends += found.ends
    return ends, 7 * len(ends) + found.rest


@settings(max_examples=examples(30))
@given(tree=TREES, sort=SORTS, rows=st.integers(1, 200))
def test_they_stand_at_the_end_of_each_block(seen, tree, sort, rows):
    order = seen.numbers(tree, sort)
    ends, total = all_of(seen.session, tree, sort, rows)
    assert total == len(order)
    assert [each.id for each in ends] == order[6::7]


@settings(max_examples=examples(15))
@given(tree=TREES, sort=SORTS)
def test_blocks_between_them_are_the_queue(seen, tree, sort):
    ends, _ = all_of(seen.session, tree, sort, 40)
    blocks = [
        block_rows(seen.session, tree, sort, after, until)
        for after, until in zip([None, *ends], [*ends, None], strict=True)
    ]
    rows = [row.candidate.id for block in blocks for row in block]
    assert rows == [row.candidate.id for row in matching(seen.session, tree, sort)]


def test_no_more_lines_than_wanted(file_scene):
    rows = block_rows(file_scene.session, EVERYTHING, LIST_ORDER, None, None, 11)
    assert [row.candidate.id for row in rows] == list(range(1, 12))
