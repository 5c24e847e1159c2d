"""Candidates are selected by id wherever they are in the queue."""

from __future__ import annotations

from app.core.queue import EVERYTHING, parse_filter, parse_sort
from app.ui.candidate.queue_neighbours import Queue
from app.ui.overview import wanted_selection
from app.ui.overview.wanted_selection import spans_of
from app.ui.queue.queue_blocks import Span


def test_rows_are_those_of_the_filter_and_the_order(session):
    up = Queue(tree=EVERYTHING, sort=parse_sort("list"))
    assert spans_of(session, up, frozenset({2, 3, 4, 9})) == [Span(1, 3), Span(8, 1)]
    down = Queue(tree=EVERYTHING, sort=parse_sort("list:down"))
    assert spans_of(session, down, frozenset({12, 11, 1})) == [Span(0, 2), Span(11, 1)]
    few = Queue(tree=parse_filter("id>5"), sort=parse_sort("list"))
    assert spans_of(session, few, frozenset({5, 6, 99})) == [Span(0, 1)]


def test_many_groups_are_cut(session, monkeypatch):
    monkeypatch.setattr(wanted_selection, "MAX_SPANS", 2)
    queue = Queue(tree=EVERYTHING, sort=parse_sort("list"))
    wanted = frozenset({1, 3, 4, 6, 8})
    assert spans_of(session, queue, wanted) == [Span(0, 1), Span(2, 2)]
