"""The current candidate: moving and judging; nothing unseen is judged."""

from __future__ import annotations

import pytest

from agent.tasks.catalogue import find_task
from app.core.inspections.store import mark_fault
from app.core.queue import LIST_ORDER, parse_filter, parse_sort
from app.core.session.records import Opinion, Verdict
from app.core.session.session import new_session, open_session
from tests.app.ui.candidate.walking import begin, said, shown, verdicts
from tests.app.ui.conftest import opened_context

pytestmark = pytest.mark.usefixtures("length")


def test_judging_goes_on_to_the_next(qtbot, context, session):
    current = begin(qtbot, context)
    current.judge(Verdict.ACCEPT)
    shown(qtbot, context, 2)
    assert verdicts(session) == {1: "ACCEPT"}


def test_nothing_is_judged_before_it_is_painted(qtbot, context, session):
    current = context.current
    current.start()
    qtbot.waitUntil(lambda: current.spectrum is not None)
    assert "drawn" in said(qtbot, current, lambda: current.judge(Verdict.ACCEPT))
    assert verdicts(session) == {}


def test_two_quick_keys_judge_one_object(qtbot, context, session):
    current = begin(qtbot, context)
    current.judge(Verdict.ACCEPT)
    current.judge(Verdict.REJECT)
    current.judge(Verdict.REJECT)
    shown(qtbot, context, 2)
    assert verdicts(session) == {1: "ACCEPT"}
    assert len(list(session.history())) == 1


def test_a_candidate_visited_again_must_be_painted_again(qtbot, context, session):
    current = begin(qtbot, context)
    current.next()
    shown(qtbot, context, 2)
    current.previous()
    qtbot.waitUntil(lambda: current.candidate.id == 1)
    assert not current.is_painted


def test_judging_with_stay_keeps_the_candidate(qtbot, context, session):
    current = begin(qtbot, context)
    current.judge(Verdict.UNSURE, stay=True, confidence=2)
    current.judge(Verdict.UNSURE, stay=True)
    assert current.candidate.id == 1
    assert current.opinion == current.saved_opinion == Opinion(verdict=Verdict.UNSURE, confidence=2)
    assert current.row.mine.opinion == current.opinion
    assert len(list(session.history())) == 1


def test_the_last_one_is_followed_by_the_first_unjudged(qtbot, context, session):
    session.record_verdict(1, Opinion(verdict=Verdict.REJECT))
    context.current.start()
    shown(qtbot, context, 2)
    context.current.go_to(12)
    shown(qtbot, context, 12)
    context.current.judge(Verdict.ACCEPT)
    shown(qtbot, context, 2)


def test_when_all_are_judged_the_candidate_stays(qtbot, context, session):
    for number in range(2, 13):
        session.record_verdict(number, Opinion(verdict=Verdict.REJECT))
    current = begin(qtbot, context)
    assert "All candidates" in said(qtbot, current, lambda: current.judge(Verdict.ACCEPT))
    assert current.candidate.id == 1
    current.judge(Verdict.REJECT, stay=True)  # it is still on screen, and may be judged otherwise
    assert verdicts(session)[1] == "REJECT"


def test_judging_skips_unreadable_spectra_but_keys_reach_them(qtbot, context, session):
    mark_fault(session, 2, "no such file")
    current = begin(qtbot, context)
    current.judge(Verdict.ACCEPT)
    shown(qtbot, context, 3)
    current.previous()
    qtbot.waitUntil(lambda: current.candidate.id == 2)


def test_going_back_shows_the_verdict_just_given(qtbot, context):
    current = begin(qtbot, context)
    current.judge(Verdict.REJECT)
    shown(qtbot, context, 2)
    current.previous()
    shown(qtbot, context, 1)
    assert current.opinion.verdict is Verdict.REJECT
    current.next()
    shown(qtbot, context, 2)
    assert current.opinion.verdict is None


def test_both_ends_of_the_list_are_reported(qtbot, context):
    current = begin(qtbot, context)
    assert "first" in said(qtbot, current, current.previous)
    current.go_to(12)
    shown(qtbot, context, 12)
    assert "last" in said(qtbot, current, current.next)


def test_a_comment_stays_with_the_object_it_was_typed_for(qtbot, context, session):
    current = begin(qtbot, context)
    current.set_comment("half a wor", save=False)
    assert session.judgement(1) is None
    current.go_to(5)
    shown(qtbot, context, 5)
    assert session.judgement(1).opinion == Opinion(comment="half a wor")
    assert current.opinion == Opinion()
    current.set_comment("of five", save=False)
    current.judge(Verdict.UNSURE)
    shown(qtbot, context, 6)
    assert session.judgement(5).opinion == Opinion(verdict=Verdict.UNSURE, comment="of five")


def test_the_last_comment_is_saved_on_closing(qtbot, session):
    with opened_context(session) as context:
        begin(qtbot, context).set_comment("typed and closed", save=False)
    assert session.judgement(1).opinion.comment == "typed and closed"


def test_a_comment_that_cannot_be_saved_keeps_the_candidate(qtbot, context, session):
    current = begin(qtbot, context)
    current.set_comment("half of a character: \ud800", save=False)
    with qtbot.waitSignal(current.failed) as told:
        current.go_to(3)
    assert "character" in told.args[0]
    assert current.candidate.id == 1
    current.set_comment("whole")
    current.go_to(3)
    assert current.candidate.id == 3
    assert session.judgement(1).opinion.comment == "whole"


def test_leaving_a_comment_untouched_writes_nothing(qtbot, context, session):
    current = begin(qtbot, context)
    current.set_confidence(3)
    current.set_comment("")
    assert list(session.history()) == []
    assert current.opinion == Opinion(confidence=3)


def test_confidence_belongs_to_the_verdict(qtbot, context, session):
    current = begin(qtbot, context)
    current.set_confidence(4)
    current.judge(Verdict.ACCEPT)
    shown(qtbot, context, 2)
    assert current.opinion.confidence is None
    assert session.judgement(1).opinion.confidence == 4
    current.go_to(1)
    current.set_confidence(None)
    assert session.judgement(1).opinion == Opinion(verdict=Verdict.ACCEPT)


def test_flags_do_not_change_the_verdict(qtbot, context, session):
    current = begin(qtbot, context)
    current.judge(Verdict.ACCEPT, stay=True)
    current.toggle_flag("star")
    current.toggle_flag("sky")
    current.toggle_flag("star")
    assert session.judgement(1).opinion == Opinion(verdict=Verdict.ACCEPT, flags=("sky",))


def test_a_new_order_continues_from_the_current_candidate(qtbot, context, session):
    current = begin(qtbot, context, 4)
    with qtbot.waitSignal(current.row_changed):
        assert current.set_queue(parse_filter(""), parse_sort("list:down"))
    assert current.candidate.id == 4
    current.next()
    shown(qtbot, context, 3)


def test_a_verdict_during_a_change_of_order_continues_in_the_new_order(qtbot, context, session):
    current = begin(qtbot, context, 4)
    current.set_queue(parse_filter(""), parse_sort("list:down"))
    current.judge(Verdict.ACCEPT)
    current.judge(Verdict.REJECT)
    shown(qtbot, context, 3)
    assert verdicts(session) == {4: "ACCEPT"}


def test_a_candidate_outside_the_filter_can_be_judged(qtbot, context, session):
    current = begin(qtbot, context)
    with qtbot.waitSignal(current.row_changed):
        current.set_queue(parse_filter("id>6"), LIST_ORDER)
    current.judge(Verdict.ACCEPT)
    shown(qtbot, context, 7)
    assert verdicts(session) == {1: "ACCEPT"}


def test_changes_made_elsewhere_are_shown(qtbot, context, session):
    current = begin(qtbot, context)
    session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT, comment="from the review page"))
    assert current.opinion.comment == "from the review page"
    current.set_comment("mine, half typed", save=False)
    session.record_verdict(1, Opinion(verdict=Verdict.REJECT))
    assert current.opinion.comment == "mine, half typed"
    assert current.saved_opinion.verdict is Verdict.REJECT


def test_an_unknown_candidate_is_reported(qtbot, context):
    current = begin(qtbot, context)
    with qtbot.waitSignal(current.failed) as told:
        current.go_to(99)
    assert "99" in told.args[0]
    assert current.candidate.id == 1


def test_a_read_only_session_refuses_verdicts(qtbot, session, tmp_path):
    session.close()
    path = tmp_path / "night.speco3"
    with open_session(path, "Ada", read_only=True) as closed, opened_context(closed) as work:
        current = begin(qtbot, work)
        with qtbot.waitSignal(current.failed) as told:
            current.judge(Verdict.ACCEPT)
        assert "read-only" in told.args[0]
        assert current.candidate.id == 1


def test_an_empty_session_says_so(qtbot, tmp_path):
    with (
        new_session(tmp_path / "empty", find_task("CV"), "Ada") as session,
        opened_context(session) as context,
    ):
        with qtbot.waitSignal(context.current.candidate_changed) as moved:
            context.current.start()
        assert moved.args == [None]
        told = said(qtbot, context.current, lambda: context.current.judge(Verdict.ACCEPT))
        assert told == "No spectrum to judge"
