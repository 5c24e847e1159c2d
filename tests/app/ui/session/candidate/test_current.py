"""The current candidate: moving and judging; nothing unseen is judged."""

import threading

import pytest
from PySide6.QtCore import QCoreApplication

from agent.tasks.catalogue import find_task
from app.core.inspections.store import mark_fault
from app.core.queue import LIST_ORDER, parse_filter, parse_sort
from app.core.session.records import Change, Opinion, Verdict
from app.core.session.session import new_session, open_session
from tests.app.ui.conftest import opened_context
from tests.app.ui.session.candidate.conftest import begin, said, shown, verdicts
from tests.app.ui.steps import give_opinion, heard, show_painted, start_over

pytestmark = pytest.mark.usefixtures("length")


def test_judging_goes_on_to_the_next(qtbot, context, session):
    current = begin(qtbot, context)
    current.judge(Verdict.ACCEPT)
    shown(qtbot, context, 2)
    assert verdicts(session) == {1: "ACCEPT"}


def test_nothing_unseen_is_judged_and_one_object_at_a_time(qtbot, context, session):
    current = context.current
    current.start()
    qtbot.waitUntil(lambda: current.spectrum is not None)
    assert "drawn" in said(qtbot, current, lambda: current.judge(Verdict.ACCEPT))
    assert verdicts(session) == {}
    current = begin(qtbot, context)
    current.judge(Verdict.ACCEPT)
    current.judge(Verdict.REJECT)
    current.judge(Verdict.REJECT)
    shown(qtbot, context, 2)
    assert verdicts(session) == {1: "ACCEPT"} and len(list(session.history())) == 1
    start_over(qtbot, context)
    current = begin(qtbot, context)
    current.next()
    shown(qtbot, context, 2)
    current.previous()
    qtbot.waitUntil(lambda: current.candidate.id == 1)
    assert not current.is_painted


def test_going_back_stays_and_both_ends(qtbot, context, session):
    current = begin(qtbot, context)
    current.judge(Verdict.UNSURE, stay=True, confidence=2)
    current.judge(Verdict.UNSURE, stay=True)
    assert current.candidate.id == 1
    assert current.opinion == current.saved_opinion == Opinion(verdict=Verdict.UNSURE, confidence=2)
    assert current.row.mine.opinion == current.opinion and len(list(session.history())) == 1
    start_over(qtbot, context)
    current = begin(qtbot, context)
    current.judge(Verdict.REJECT)
    shown(qtbot, context, 2)
    current.previous()
    shown(qtbot, context, 1)
    assert current.opinion.verdict is Verdict.REJECT
    current.next()
    shown(qtbot, context, 2)
    assert current.opinion.verdict is None
    start_over(qtbot, context)
    current = begin(qtbot, context)
    assert "first" in said(qtbot, current, current.previous)
    current.go_to(12)
    shown(qtbot, context, 12)
    assert "last" in said(qtbot, current, current.next)
    start_over(qtbot, context)
    current = begin(qtbot, context)
    assert "99" in heard(qtbot, current.failed, lambda: current.go_to(99))
    assert current.candidate.id == 1


def test_the_last_one_is_followed_by_the_first_unjudged_until_all_are_judged(
    qtbot, context, session
):
    session.record_verdict(1, Opinion(verdict=Verdict.REJECT))
    context.current.start()
    shown(qtbot, context, 2)
    context.current.go_to(12)
    shown(qtbot, context, 12)
    context.current.judge(Verdict.ACCEPT)
    shown(qtbot, context, 2)
    start_over(qtbot, context)
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


def test_the_last_comment_is_saved_on_closing(qtbot, session):
    with opened_context(session) as context:
        begin(qtbot, context).set_comment("typed and closed", save=False)
    assert session.judgement(1).opinion.comment == "typed and closed"


def test_comments_stay_with_their_objects(qtbot, context, session):
    current = begin(qtbot, context)
    current.set_confidence(3)
    current.set_comment("")
    assert list(session.history()) == [] and current.opinion == Opinion(confidence=3)
    start_over(qtbot, context)
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
    start_over(qtbot, context)
    current = begin(qtbot, context)
    current.set_comment("half of a character: \ud800", save=False)
    assert "character" in heard(qtbot, current.failed, lambda: current.go_to(3))
    assert current.candidate.id == 1
    current.set_comment("whole")
    current.go_to(3)
    assert current.candidate.id == 3 and session.judgement(1).opinion.comment == "whole"


def test_confidence_and_flags_belong_to_the_verdict(qtbot, context, session):
    current = begin(qtbot, context)
    current.set_confidence(4)
    current.judge(Verdict.ACCEPT)
    shown(qtbot, context, 2)
    assert current.opinion.confidence is None and session.judgement(1).opinion.confidence == 4
    current.go_to(1)
    current.set_confidence(None)
    assert session.judgement(1).opinion == Opinion(verdict=Verdict.ACCEPT)
    start_over(qtbot, context)
    current = begin(qtbot, context)
    current.judge(Verdict.ACCEPT, stay=True)
    current.toggle_flag("star")
    current.toggle_flag("sky")
    current.toggle_flag("star")
    assert session.judgement(1).opinion == Opinion(verdict=Verdict.ACCEPT, flags=("sky",))
    start_over(qtbot, context)
    current = begin(qtbot, context)
    session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT, comment="from the review page"))
    assert current.opinion.comment == "from the review page"
    current.set_comment("mine, half typed", save=False)
    session.record_verdict(1, Opinion(verdict=Verdict.REJECT))
    assert current.opinion.comment == "mine, half typed"
    assert current.saved_opinion.verdict is Verdict.REJECT


def test_orders_and_filters_change_beside_the_judging(qtbot, context, session):
    current = begin(qtbot, context, 4)
    with qtbot.waitSignal(current.row_changed):
        assert current.set_queue(parse_filter(""), parse_sort("list:down"))
    assert current.candidate.id == 4
    current.next()
    shown(qtbot, context, 3)
    start_over(qtbot, context)
    current = begin(qtbot, context, 4)
    current.set_queue(parse_filter(""), parse_sort("list:down"))
    current.judge(Verdict.ACCEPT)
    current.judge(Verdict.REJECT)
    shown(qtbot, context, 3)
    assert verdicts(session) == {4: "ACCEPT"}
    start_over(qtbot, context)
    current = begin(qtbot, context)
    with qtbot.waitSignal(current.row_changed):
        current.set_queue(parse_filter("id>6"), LIST_ORDER)
    current.judge(Verdict.ACCEPT)
    shown(qtbot, context, 7)
    assert verdicts(session) == {1: "ACCEPT"}


def test_a_read_only_session_refuses_verdicts(qtbot, session, tmp_path):
    session.close()
    path = tmp_path / "night.speco3"
    with open_session(path, "Ada", read_only=True) as closed, opened_context(closed) as work:
        current = begin(qtbot, work)
        assert "read-only" in heard(qtbot, current.failed, lambda: current.judge(Verdict.ACCEPT))
        assert current.candidate.id == 1


def test_an_empty_session_says_so(qtbot, tmp_path):
    made = new_session(tmp_path / "empty", find_task("CV"), "Ada")
    with made as session, opened_context(session) as context:
        assert heard(qtbot, context.current.candidate_changed, context.current.start) is None
        said_then = said(qtbot, context.current, lambda: context.current.judge(Verdict.ACCEPT))
        assert said_then == "No spectrum to judge"


def test_a_spectrum_that_is_readable_again_loses_its_mark(qtbot, context, session):
    mark_fault(session, 1, "was away")
    show_painted(qtbot, context)
    qtbot.waitUntil(lambda: session.candidate(1).fault == "")
    context.current.judge(Verdict.ACCEPT, stay=True)
    assert session.judgement(1).opinion.verdict is Verdict.ACCEPT


def test_undo_restores_the_candidate_and_its_opinion(qtbot, context, session):
    current = begin(qtbot, context)
    current.set_comment("宽")
    current.judge(Verdict.REJECT)
    shown(qtbot, context, 2)
    current.undo()
    assert current.candidate.id == 1
    assert (current.opinion.verdict, current.opinion.comment) == (None, "宽")
    current.redo()
    assert session.judgement(1).opinion.verdict is Verdict.REJECT


def test_seconds_and_what_was_seen_are_recorded(qtbot, context, session):
    give_opinion(session, 1, "YES", 0.9)
    current = begin(qtbot, context)
    current.judge(Verdict.ACCEPT)
    entry = next(iter(session.history()))
    assert entry.seconds >= 0
    assert dict(entry.shown) == {"verdict": "YES", "p_yes": 0.9, "model": "nano"}


def test_nothing_is_recorded_while_an_act_on_many_is_being_saved(qtbot, context, session):
    current = begin(qtbot, context)
    saved, ended, refused = threading.Event(), [], []
    current.failed.connect(lambda text, details: refused.append(text))
    try:
        current.verdicts.start(saved.wait, ended.append, ended.append)
        current.judge(Verdict.ACCEPT)
        current.undo()
    finally:
        saved.set()
    assert ["still being saved" in text for text in refused] == [True, True]
    assert verdicts(session) == {} and current.candidate.id == 1
    qtbot.waitUntil(lambda: ended == [True])
    current.judge(Verdict.ACCEPT)
    assert verdicts(session) == {1: "ACCEPT"}


def test_what_another_thread_tells_before_the_end_is_not_heard_after_it(qtbot, session):
    told = threading.Thread(target=session.changed.emit, args=(Change(aspect="list"),))
    with opened_context(session) as context:
        context.current.start()
        told.start()
        told.join()  # its change waits for the turn that follows the end
    session.close()
    with qtbot.captureExceptions() as exceptions:
        QCoreApplication.processEvents()
    assert not exceptions
