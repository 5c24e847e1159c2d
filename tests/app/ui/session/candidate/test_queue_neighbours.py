"""The rows around a candidate: read once, kept in the cache, searched for in the background."""

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from agent.errors import WorkbenchError
from app.core.inspections.store import add_inspection, mark_fault
from app.core.queue import EVERYTHING, LIST_ORDER, next_unjudged, row_of
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.statistics.repeats import repeats_of
from app.ui.session.candidate import queue_neighbours
from app.ui.session.candidate.queue_neighbours import (
    Queue,
    QueueNeighbours,
    QueueSearch,
    first_of,
    next_of,
    previous_of,
    read_neighbours,
)
from tests.app.ui.candidates import copied, sample_file
from tests.app.ui.judge.agent.trajectories import record
from tests.app.ui.session.candidate.conftest import begin, shown
from tests.app.ui.whole_window import before_window

QUEUE = Queue(tree=EVERYTHING, sort=LIST_ORDER)

Key = Qt.Key


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
    found = next_unjudged(session, QUEUE.to_judge, LIST_ORDER, after=last)
    assert found.candidate.id == 1
    assert next_of(session, QUEUE, last) is None
    assert previous_of(session, QUEUE, last).candidate.id == 11


@pytest.fixture
def search(runner, session, monkeypatch):
    monkeypatch.setattr(queue_neighbours, "LONG_QUEUE", 3)
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
    monkeypatch.setattr(queue_neighbours, "LONG_QUEUE", 12)
    search.update_length()
    assert not search.is_long
    monkeypatch.setattr(queue_neighbours, "LONG_QUEUE", 11)
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
        patched.setattr("app.ui.session.candidate.current.row_of", refuse)
        patched.setattr("app.ui.session.candidate.current.next_of", refuse)
        current.next()
        current.next()
        current.previous()
    assert current.candidate.id == 2


def test_a_repeat_shows_no_opinion_and_its_verdict_is_undone(person):
    plan, current = person.current.repeat_round.plan, person.current
    assert len(plan) == 3 and person.number == plan[0]
    assert current.opinion == Opinion() and current.row.mine is None
    assert not current.blind_mode.is_on
    agent, queue = person.view.context.agent, person.view.judging.docks["queue"].part
    assert agent.shown.trajectory is None and agent.shown.is_hidden
    assert queue.table.isHidden() and person.reads("Repeat 1 of 3")
    assert not person.reads("accepted") and not person.reads("0.93")
    person.press("v", Qt.KeyboardModifier.ShiftModifier)
    assert "This is a repeat" in person.view.status.message.full_text
    person.press(Key.Key_Return)
    assert repeats_of(person.session) == []
    add_inspection(person.session, plan[0], record())  # what comes meanwhile tells nothing either
    assert current.row.mine is None and current.blind_mode.hides(current.row)
    plan, before = person.current.repeat_round.plan, person.log()
    person.press("x")
    go_to_repeat(person, 1)
    person.press("z", Qt.KeyboardModifier.ControlModifier)
    go_to_repeat(person, 0)
    assert repeats_of(person.session) == [] and person.log() == before
    assert person.current.opinion.verdict is None
    person.press("u")
    go_to_repeat(person, 1)
    (repeat,) = repeats_of(person.session)
    assert (repeat.candidate_id, repeat.second.verdict) == (plan[0], Verdict.UNSURE)


def test_a_repeated_verdict_is_stored_beside_the_first(person):
    plan, before = person.current.repeat_round.plan, person.log()
    person.press("4")
    person.press("x")
    go_to_repeat(person, 1)
    person.press("n")  # passed over
    go_to_repeat(person, 2)
    person.press("a", sees=HERE)
    first, last = repeats_of(person.session)
    assert [first.candidate_id, last.candidate_id] == [plan[0], plan[2]]
    assert first.second == Opinion(verdict=Verdict.REJECT, confidence=4)
    assert (first.first.verdict, last.second.verdict) == (Verdict.ACCEPT, Verdict.ACCEPT)
    assert first.seconds is not None and person.log() == before
    assert person.opinion(plan[0]).verdict is Verdict.ACCEPT
    assert not person.current.repeat_round.is_on
    assert not person.view.judging.docks["queue"].part.table.isHidden()
    assert "how consistent" in person.view.status.message.full_text
    person.go(plan[0])
    assert person.current.opinion.verdict is Verdict.ACCEPT


def test_a_second_verdict_replaces_the_first_and_going_elsewhere_ends_the_round(person):
    for key in ("x", "u"):
        person.press(key, Qt.KeyboardModifier.ShiftModifier)
    (repeat,) = repeats_of(person.session)
    assert repeat.second.verdict is Verdict.UNSURE
    person.press("b")  # before the first there is nothing
    go_to_repeat(person, 0)
    person.current.go_to(44)
    person.sees(44)
    assert not person.current.repeat_round.is_on
    person.press("n", sees=45)


def test_too_few_verdicts_to_repeat(qtbot, tmp_path):
    with before_window(qtbot, sample_file(tmp_path, 3)) as person:
        person.window.commands.run("show_again")
        person.wait(lambda: "Nothing to repeat" in person.view.status.message.full_text)
        assert person.number == 1 and not person.current.repeat_round.is_on


def test_a_sub_class_is_kept_with_the_repeat_and_stop_leads_back(person):
    person.window.settings.change(subclass_seconds=20.0)
    session, number = person.view.session, person.current.repeat_round.plan[0]
    lines = len(list(session.history()))
    go_to_repeat(person, 0)
    person.press("a")
    go_to_repeat(person, 1)
    person.press("d")
    (repeat,) = repeats_of(session)
    assert (repeat.candidate_id, repeat.second.subclass) == (number, "DN")
    assert session.judgement(number).opinion.subclass == ""  # the first verdict stays
    assert len(list(session.history())) == lines
    QTest.mouseClick(person.view.judging.repeat_line.stop, Qt.MouseButton.LeftButton)
    person.sees(HERE)
    assert not person.current.repeat_round.is_on
    assert person.current.opinion.verdict is Verdict.ACCEPT


HERE = 30


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """The whole sample accepted; the agent answers YES for the first ten."""
    place = sample_file(tmp_path_factory.mktemp("judged"), 60)
    with open_session(place, "Ada") as session:
        for number in range(1, 61):
            session.record_verdict(number, Opinion(verdict=Verdict.ACCEPT, comment="first"))
        for number in range(1, 11):
            add_inspection(session, number, record())
    return place


@pytest.fixture
def person(qtbot, judged, tmp_path):
    with before_window(qtbot, copied(judged, tmp_path)) as before:
        before.go(HERE)
        before.window.commands.run("show_again")
        before.wait(lambda: before.current.repeat_round.is_on and before.current.is_painted)
        yield before


def go_to_repeat(person, place):
    """Wait until this candidate of the plan is on screen."""
    person.sees(person.current.repeat_round.plan[place])
