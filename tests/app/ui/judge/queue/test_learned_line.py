"""The order that learns, chosen from the menu and used by keys, and the line that tells of it."""

import pytest

from app.core.errors import SessionError
from app.core.queue import EVERYTHING, LIST_ORDER, matching_ids, parse_sort
from app.core.queue.learned_orders import learned_so
from app.core.session.records import Opinion, Verdict
from app.core.similar.index import build_some, index_of
from app.ui.judge.queue import queue_panel
from tests.processes import LONG_S


def choose(panel, text):
    every = panel.filters._orders.actions()
    next(each for each in every if each.data() == text).trigger()


@pytest.fixture
def known(session):
    """The features of all spectra are in the index."""
    assert build_some(session, index_of(session.database), seconds=LONG_S) is None
    return session


def test_it_is_chosen_and_learns_while_what_is_next_stays(
    qtbot, panel, context, known, monkeypatch
):
    monkeypatch.setattr(queue_panel, "EVERY", 2)
    current, line = context.current, panel.learned
    assert not line.isVisible()
    choose(panel, "learned:best")
    qtbot.waitUntil(lambda: current.queue.sort == parse_sort("learned:best"))
    qtbot.waitUntil(lambda: "one yes and one no" in line.text() and line.isVisible())
    assert panel.filters.order.text() == "learned: best first ▾"
    for verdict in (Verdict.ACCEPT, Verdict.REJECT, Verdict.ACCEPT, Verdict.REJECT):
        qtbot.waitUntil(lambda: current.in_sight() is not None and current.spectrum is not None)
        here, _, unjudged = current.in_sight()
        current.note_painted(here)
        current.judge(verdict)
        assert current.candidate_id == unjudged != here
    qtbot.waitUntil(lambda: line.text() == "Learned from 4 verdicts; of the last 4, 2 yes")
    assert [entry.order_met for entry in known.history()] == 4 * ["learned:best"]
    near = current.in_sight
    qtbot.waitUntil(lambda: near() is not None)
    before = near()
    with qtbot.waitSignal(current.reordered):
        line.learn()
    qtbot.waitUntil(lambda: learned_so(known, current.queue.sort).verdicts == 4)
    qtbot.waitUntil(lambda: near() is not None)
    assert near() == before
    choose(panel, "list:up")
    qtbot.waitUntil(lambda: not line.isVisible())


def test_the_line_tells_what_chance_says_of_the_rest(qtbot, panel, context, known, session):
    for number in (1, 2, 3):
        session.record_verdict(number, Opinion(verdict=Verdict.ACCEPT))
    session.record_verdict(4, Opinion(verdict=Verdict.REJECT))
    choose(panel, "learned:mixed")
    qtbot.waitUntil(lambda: context.current.queue.sort.key == "learned")
    sort, line = context.current.queue.sort, panel.learned
    with qtbot.waitSignal(context.current.reordered):
        line.learn()
    for number in list(matching_ids(session, EVERYTHING, sort))[4:10]:
        session.record_verdict(number, Opinion(verdict=Verdict.REJECT))
    context.current.go_to(list(matching_ids(session, EVERYTHING, sort))[10])
    qtbot.waitUntil(lambda: "At most" in line.text() and "Learned from 10" in line.text())
    assert "; of 1 at random, 0. At most 2 more in the 2 left (95 %)" in line.text()


def test_blind_mode_learns_without_the_agents(qtbot, panel, context, known):
    choose(panel, "learned:best")
    qtbot.waitUntil(lambda: context.current.queue.sort.key == "learned")
    context.current.blind_mode.set_on(True)
    assert context.current.queue.sort == LIST_ORDER  # what was learned from agents is not shown
    qtbot.waitUntil(lambda: context.current.queue.sort.key == "learned")


def test_a_flag_is_learned(qtbot, panel, context, known):
    choose(panel, "learned:best:flag=star")
    qtbot.waitUntil(lambda: context.current.queue.sort.target == "flag=star")
    assert panel.filters.order.text() == "learned: star ▾"


def test_where_it_cannot_be_learned_the_queue_stays(qtbot, panel, context, known, monkeypatch):
    def broken(*_):
        raise SessionError("the disk is full")

    monkeypatch.setattr("app.ui.session.candidate.current.begin", broken)
    with qtbot.waitSignal(context.current.failed):
        choose(panel, "learned:best")
        assert panel.learned.isVisible() and panel.learned.text().startswith("Learning")
    assert not panel.learned.isVisible() and context.current.queue.sort == LIST_ORDER
