"""In blind mode the opinion of the agent is hidden; what was seen stays recorded."""

import csv

import pytest

from app.core.exporting.export import export
from app.core.queue import LIST_ORDER, parse_filter, parse_sort
from app.core.session.records import Verdict
from app.core.session.session import open_session
from tests.app.ui.conftest import opened_context
from tests.app.ui.session.candidate.conftest import begin, shown
from tests.app.ui.steps import give_opinion


@pytest.mark.usefixtures("length")
def test_blind_mode_hides_opinions_until_the_verdict(qtbot, context, session):
    give_opinion(session, 1, "YES", 0.9)
    give_opinion(session, 2, "NO", 0.1)
    context.current.blind_mode.set_on(True)
    current = begin(qtbot, context)
    assert current.blind_mode.hides(current.row)
    current.judge(Verdict.REJECT)
    shown(qtbot, context, 2)
    current.reveal()
    assert not current.blind_mode.hides(current.row)
    current.judge(Verdict.REJECT)
    first, second = session.history()
    assert dict(first.shown) == {} and second.shown["revealed"] is True


def test_undo_does_not_forget_what_was_seen(qtbot, context, session):
    give_opinion(session, 1, "YES", 0.9)
    current = begin(qtbot, context)
    current.blind_mode.set_on(True)
    current.judge(Verdict.REJECT, stay=True)
    current.undo()
    assert current.opinion.verdict is None and not current.blind_mode.hides(current.row)
    shown(qtbot, context, 1)
    current.judge(Verdict.ACCEPT)
    assert list(session.history())[-1].shown["verdict"] == "YES"


@pytest.mark.parametrize("how", ["reveal", "judge and stay"])
def test_a_restart_does_not_forget_what_was_seen(qtbot, context, session, how):
    give_opinion(session, 1, "YES", 0.9)
    context.current.blind_mode.set_on(True)
    current = begin(qtbot, context)
    if how == "reveal":
        current.reveal()
    else:
        current.judge(Verdict.REJECT, stay=True)
    path = session.location
    context.agent.close()
    current.close()
    session.close()
    with open_session(path, "Ada") as again, opened_context(again) as later:
        current = later.current
        if how != "reveal":
            current.undo()
        current.go_to(1)
        assert current.opinion.verdict is None and not current.blind_mode.hides(current.row)
        shown(qtbot, later, 1)
        current.judge(Verdict.ACCEPT)
        out = later.bridge.session.location.with_name("out.csv")
        export(again, out)
        with out.open(newline="", encoding="utf-8") as file:
            (row,) = (row for row in csv.DictReader(file) if row["verdict"])
        assert row["agent_seen_before"] == "True"
    with open_session(path, "Ben") as other, opened_context(other) as theirs:
        theirs.current.go_to(1)
        assert theirs.current.blind_mode.hides(theirs.current.row)


def test_what_was_seen_before_blind_mode_is_hidden_but_recorded(qtbot, context, session):
    for number in (1, 2):
        give_opinion(session, number, "YES", 0.9)
    current = begin(qtbot, context)
    current.next()
    shown(qtbot, context, 2)
    current.judge(Verdict.REJECT)
    shown(qtbot, context, 3)
    context.agent.close()
    current.close()
    with opened_context(session) as later:
        later.current.blind_mode.set_on(True)
        give_opinion(session, 3, "YES", 0.9)
        later.current.undo()
        told = {}
        for number in (1, 2, 3):
            later.current.go_to(number)
            assert later.current.blind_mode.hides(later.current.row)
            seen = dict(later.current.blind_mode.seen_opinion(later.current.row))
            told[number] = seen.get("verdict")
        assert told == {1: "YES", 2: "YES", 3: None}


@pytest.mark.usefixtures("length")
def test_blind_mode_refuses_a_revealing_queue(qtbot, context):
    current = begin(qtbot, context)
    assert current.set_queue(parse_filter("agent:yes"), LIST_ORDER)
    qtbot.waitUntil(lambda: not current._search.is_busy)
    current.blind_mode.set_on(True)  # which was told already: the list is walked as it is
    assert current.queue.tree == parse_filter("")
    for text, sort in (("agent:yes", "list"), ("", "p_yes"), ("disagree:agent", "list")):
        assert not current.set_queue(parse_filter(text), parse_sort(sort))
    assert current.queue.tree == parse_filter("")
