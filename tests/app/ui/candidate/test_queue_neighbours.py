"""The rows around a candidate: read once, kept in the cache, searched for in the background."""

from __future__ import annotations

import threading

import pytest

from agent.errors import WorkbenchError
from app.core.inspections.store import mark_fault
from app.core.queue import EVERYTHING, LIST_ORDER, row_of
from app.core.session.records import Opinion, Verdict
from app.ui.background.runner import Runner
from app.ui.candidate import queue_search
from app.ui.candidate.queue_neighbours import (
    Queue,
    QueueNeighbours,
    first_of,
    next_of,
    previous_of,
    read_neighbours,
    unjudged_after,
)
from app.ui.candidate.queue_search import QueueSearch
from tests.app.ui.candidate.conftest import begin, shown

QUEUE = Queue(tree=EVERYTHING, sort=LIST_ORDER)


@pytest.fixture
def third(session):
    """The third candidate and its neighbours; the fifth is judged, the sixth unreadable."""
    session.record_verdict(5, Opinion(verdict=Verdict.REJECT))
    mark_fault(session, 6, "no such file")
    row = row_of(session, 3, LIST_ORDER)
    return row, read_neighbours(session, QUEUE, 3, row.position)


def ids(rows):
    return [row.candidate.id for row in rows]


def test_rows_around_a_candidate_also_after_moving(third, session):
    _, around = third
    assert ids(around.before) == [2, 1] and ids(around.after) == list(range(4, 13))
    assert ids(around.unjudged) == [4, *range(7, 13)]
    assert around.ids == frozenset(range(1, 13)) - {3}
    assert ids(around.without_unjudged(4).unjudged) == list(range(7, 13))
    row, around = third
    moved = around.moved_to(around.after[1], row)
    assert moved.of == 5
    assert ids(moved.before) == [4, 3, 2, 1] and ids(moved.after) == list(range(6, 13))
    assert ids(moved.unjudged) == list(range(7, 13))
    back = around.moved_to(around.before[0], row)
    assert (ids(back.before), ids(back.after)[:2]) == ([1], [3, 4]) and back.unjudged == ()
    assert around.moved_to(row, row) is None and first_of(session, QUEUE).candidate.id == 1
    last = row_of(session, 12, LIST_ORDER).position
    assert unjudged_after(session, QUEUE, last).candidate.id == 1
    assert next_of(session, QUEUE, last) is None
    assert previous_of(session, QUEUE, last).candidate.id == 11


@pytest.fixture
def runner(qapp):
    runner = Runner()
    yield runner
    runner.close()


@pytest.fixture
def search(runner, session, monkeypatch):
    monkeypatch.setattr(queue_search, "LONG_QUEUE", 3)
    failures = []
    search = QueueSearch(session, runner, failures.append)
    search.failures = failures
    return search


def refuse():
    raise WorkbenchError("the disk is gone")


def test_a_short_queue_is_searched_at_once(session, runner):
    found, failures = [], []
    search = QueueSearch(session, runner, failures.append)
    search.start(lambda: "row", found.append)
    search.start(refuse, found.append)
    assert found == ["row"] and [str(each) for each in failures] == ["the disk is gone"]
    assert not search.is_busy
    around = QueueNeighbours(of=1, after=("2", "3", "4"), unjudged=("7",))
    assert around.ahead == ("7", "2", "3", "4")


def test_one_search_at_a_time_and_a_cancelled_one_is_ignored(qtbot, search, monkeypatch):
    found, go = [], threading.Event()
    search.start(lambda: go.wait() and "first", found.append)
    assert search.is_busy and found == []
    search.start(lambda: "second", found.append)
    go.set()
    qtbot.waitUntil(lambda: not search.is_busy)
    assert found == ["first"]
    search.start(refuse, found.append)
    qtbot.waitUntil(lambda: search.failures != [])
    assert not search.is_busy
    found, go = [], threading.Event()
    search.start(lambda: go.wait() and "old", found.append)
    search.cancel()
    search.start(lambda: "new", found.append)
    go.set()
    qtbot.waitUntil(lambda: found != [])
    qtbot.wait(10)
    assert found == ["new"]
    monkeypatch.setattr(queue_search, "LONG_QUEUE", 12)
    search.update_length()
    assert not search.is_long
    monkeypatch.setattr(queue_search, "LONG_QUEUE", 11)
    search.update_length()
    assert search.is_long


@pytest.mark.usefixtures("length")
def test_a_candidate_judged_elsewhere_is_skipped(qtbot, context, session):
    current = begin(qtbot, context)
    qtbot.waitUntil(lambda: current._cache.next_unjudged(current.row) is not None)
    session.record_verdict(2, Opinion(verdict=Verdict.REJECT))
    current.judge(Verdict.ACCEPT)
    shown(qtbot, context, 3)


@pytest.mark.usefixtures("length")
def test_moving_within_the_cache_needs_no_query(qtbot, context, monkeypatch):
    """Between cached rows no key waits for the database."""
    current = begin(qtbot, context)
    qtbot.waitUntil(lambda: current._cache.next(current.row) is not None)

    def refuse(*_):
        raise AssertionError("the window's thread reads the database")

    with monkeypatch.context() as patched:
        patched.setattr("app.ui.candidate.current.row_of", refuse)
        patched.setattr("app.ui.candidate.current.next_of", refuse)
        current.next()
        current.next()
        current.previous()
    assert current.candidate.id == 2
