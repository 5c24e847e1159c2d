"""The rows around a candidate, also after moving to one of them."""

from __future__ import annotations

import pytest

from app.core.inspections.store import mark_fault
from app.core.queue import EVERYTHING, LIST_ORDER, row_of
from app.core.session.records import Opinion, Verdict
from app.ui.candidate.queue_neighbours import (
    Queue,
    QueueNeighbours,
    first_of,
    next_of,
    previous_of,
    read_neighbours,
    unjudged_after,
)

QUEUE = Queue(tree=EVERYTHING, sort=LIST_ORDER)


def test_next_unjudged_and_next_rows_alternate():
    around = QueueNeighbours(of=1, after=("2", "3", "4"), unjudged=("7",))
    assert around.ahead == ("7", "2", "3", "4")


@pytest.fixture
def third(session):
    """The third candidate and its neighbours; the fifth is judged, the sixth unreadable."""
    session.record_verdict(5, Opinion(verdict=Verdict.REJECT))
    mark_fault(session, 6, "no such file")
    row = row_of(session, 3, LIST_ORDER)
    return row, read_neighbours(session, QUEUE, 3, row.position)


def ids(rows):
    return [row.candidate.id for row in rows]


def test_rows_around_a_candidate_nearest_first(third):
    _, around = third
    assert ids(around.before) == [2, 1] and ids(around.after) == list(range(4, 13))
    assert ids(around.unjudged) == [4, *range(7, 13)]
    assert around.ids == frozenset(range(1, 13)) - {3}
    assert ids(around.without_unjudged(4).unjudged) == list(range(7, 13))


def test_moving_on_and_back_keeps_what_is_known(third):
    row, around = third
    moved = around.moved_to(around.after[1], row)
    assert moved.of == 5
    assert ids(moved.before) == [4, 3, 2, 1] and ids(moved.after) == list(range(6, 13))
    assert ids(moved.unjudged) == list(range(7, 13))
    back = around.moved_to(around.before[0], row)
    assert (ids(back.before), ids(back.after)[:2]) == ([1], [3, 4])
    assert back.unjudged == ()
    assert around.moved_to(row, row) is None


def test_the_next_unjudged_wraps_around(session, third):
    assert first_of(session, QUEUE).candidate.id == 1
    last = row_of(session, 12, LIST_ORDER).position
    assert unjudged_after(session, QUEUE, last).candidate.id == 1
    assert next_of(session, QUEUE, last) is None
    assert previous_of(session, QUEUE, last).candidate.id == 11
