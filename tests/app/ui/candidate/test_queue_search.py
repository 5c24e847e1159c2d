"""A short queue is searched at once, a long one in the background, one search at a time."""

from __future__ import annotations

import threading

import pytest

from agent.errors import WorkbenchError
from app.ui.background.runner import Runner
from app.ui.candidate import queue_search
from app.ui.candidate.queue_search import QueueSearch


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


def test_requests_during_a_search_are_dropped(qtbot, search):
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


def test_the_result_of_a_cancelled_search_is_ignored(qtbot, search):
    found, go = [], threading.Event()
    search.start(lambda: go.wait() and "old", found.append)
    search.cancel()
    search.start(lambda: "new", found.append)
    go.set()
    qtbot.waitUntil(lambda: found != [])
    qtbot.wait(10)
    assert found == ["new"]


def test_a_list_that_has_grown_is_long(search, monkeypatch):
    monkeypatch.setattr(queue_search, "LONG_QUEUE", 12)
    search.update_length()
    assert not search.is_long
    monkeypatch.setattr(queue_search, "LONG_QUEUE", 11)
    search.update_length()
    assert search.is_long
