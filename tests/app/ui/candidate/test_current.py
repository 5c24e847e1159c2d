"""What lies on the desk: moving, judging, undoing; nothing unseen is judged."""

from __future__ import annotations

import csv

import pytest

from agent.tasks.catalogue import find_task
from app.core.exporting.export import export
from app.core.inspections.store import mark_fault
from app.core.queue import LIST_ORDER, parse_filter, parse_sort
from app.core.session.records import Opinion, Verdict
from app.core.session.session import new_session, open_session
from app.ui.candidate import queue_search
from tests.app.ui.conftest import opened_context
from tests.app.ui.opinions import give_opinion


@pytest.fixture(params=["short", "long"], autouse=True)
def length(request, monkeypatch):
    """A long list is searched away from the window: it must come to the same."""
    if request.param == "long":
        monkeypatch.setattr(queue_search, "LONG_QUEUE", 3)


def shown(qtbot, context, candidate_id):
    """Wait until the spectrum is there, and say that it was painted, as the plot does."""
    current = context.current
    there = lambda: current.candidate is not None and current.candidate.id == candidate_id  # noqa: E731
    qtbot.waitUntil(lambda: there() and current.spectrum is not None)
    current.note_painted(candidate_id)
    assert current.is_painted


def begin(qtbot, context, candidate_id=1):
    context.current.start()
    shown(qtbot, context, 1)
    if candidate_id != 1:
        context.current.go_to(candidate_id)
        shown(qtbot, context, candidate_id)
    return context.current


def said(qtbot, current, call):
    with qtbot.waitSignal(current.message) as told:
        call()
    return told.args[0]


def verdicts(session):
    every = {number: session.judgement(number) for number in range(1, session.count() + 1)}
    return {number: str(each.opinion.verdict) for number, each in every.items() if each}


def test_judging_goes_on_to_the_next(qtbot, context, session):
    current = begin(qtbot, context)
    current.judge(Verdict.ACCEPT)
    shown(qtbot, context, 2)
    assert verdicts(session) == {1: "ACCEPT"}


def test_nothing_is_judged_before_it_was_drawn(qtbot, context, session):
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


def test_an_object_left_and_met_again_must_be_drawn_again(qtbot, context, session):
    current = begin(qtbot, context)
    current.next()
    shown(qtbot, context, 2)
    current.previous()
    qtbot.waitUntil(lambda: current.candidate.id == 1)
    assert not current.is_painted


def test_staying_judges_and_stays(qtbot, context, session):
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


def test_when_all_are_judged_it_says_so_and_stays(qtbot, context, session):
    for number in range(2, 13):
        session.record_verdict(number, Opinion(verdict=Verdict.REJECT))
    current = begin(qtbot, context)
    assert "All candidates" in said(qtbot, current, lambda: current.judge(Verdict.ACCEPT))
    assert current.candidate.id == 1
    current.judge(Verdict.REJECT, stay=True)  # it is still on screen, and may be judged otherwise
    assert verdicts(session)[1] == "REJECT"


def test_broken_spectra_are_passed_over_by_judging_but_can_be_reached(qtbot, context, session):
    mark_fault(session, 2, "no such file")
    current = begin(qtbot, context)
    current.judge(Verdict.ACCEPT)
    shown(qtbot, context, 3)
    current.previous()
    qtbot.waitUntil(lambda: current.candidate.id == 2)


def test_what_cannot_be_read_is_marked_and_cannot_be_judged(qtbot, tmp_path):
    with new_session(tmp_path / "broken", find_task("CV"), "Ada") as session:
        give_list(session, tmp_path, ["missing.fits", "absent.fits"])
        with opened_context(session) as context:
            with qtbot.waitSignal(context.current.spectrum_failed) as why:
                context.current.start()
            assert "missing.fits" in why.args[0]
            told = said(qtbot, context.current, lambda: context.current.judge(Verdict.ACCEPT))
            assert "cannot be read" in told
            qtbot.waitUntil(lambda: session.candidate(1).fault != "")
            context.current.next_unjudged()
            qtbot.waitUntil(lambda: context.current.candidate.id == 2)
    assert session.is_read_only is False


def give_list(session, tmp_path, names):
    from app.core.importing.importer import import_list

    rows = "".join(f"{name},{name}\n" for name in names)
    (tmp_path / "list.csv").write_text("file,object_id\n" + rows, encoding="utf-8")
    import_list(session, tmp_path / "list.csv")


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


def test_both_ends_are_said(qtbot, context):
    current = begin(qtbot, context)
    assert "first" in said(qtbot, current, current.previous)
    current.go_to(12)
    shown(qtbot, context, 12)
    assert "last" in said(qtbot, current, current.next)


def test_undo_brings_the_object_and_its_opinion_back(qtbot, context, session):
    current = begin(qtbot, context)
    current.set_comment("宽")
    current.judge(Verdict.REJECT)
    shown(qtbot, context, 2)
    current.undo()
    assert current.candidate.id == 1
    assert (current.opinion.verdict, current.opinion.comment) == (None, "宽")
    current.redo()
    assert session.judgement(1).opinion.verdict is Verdict.REJECT


def test_undo_returns_object_and_former_verdict_after_a_restart(qtbot, tmp_path, session):
    with opened_context(session) as context:
        current = begin(qtbot, context)
        current.judge(Verdict.ACCEPT, confidence=4)
        shown(qtbot, context, 2)
        current.go_to(1)
        shown(qtbot, context, 1)
        current.judge(Verdict.REJECT, confidence=1)
        shown(qtbot, context, 2)
    session.close()
    with open_session(tmp_path / "night.speco3", "Ada") as again, opened_context(again) as context:
        context.current.start()
        shown(qtbot, context, 2)
        context.current.undo()
        assert context.current.candidate.id == 1
        assert context.current.opinion == Opinion(verdict=Verdict.ACCEPT, confidence=4)
        context.current.undo()
        assert context.current.opinion == Opinion()
        assert "Nothing to undo" in said(qtbot, context.current, context.current.undo)


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


def test_what_was_typed_last_is_kept_on_closing(qtbot, session):
    with opened_context(session) as context:
        begin(qtbot, context).set_comment("typed and closed", save=False)
    assert session.judgement(1).opinion.comment == "typed and closed"


def test_a_comment_that_cannot_be_kept_keeps_the_object(qtbot, context, session):
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


def test_flags_come_and_go_and_leave_the_verdict_alone(qtbot, context, session):
    current = begin(qtbot, context)
    current.judge(Verdict.ACCEPT, stay=True)
    current.toggle_flag("star")
    current.toggle_flag("sky")
    current.toggle_flag("star")
    assert session.judgement(1).opinion == Opinion(verdict=Verdict.ACCEPT, flags=("sky",))


def test_seconds_and_what_was_seen_are_written_down(qtbot, context, session):
    give_opinion(session, 1, "YES", 0.9)
    current = begin(qtbot, context)
    current.judge(Verdict.ACCEPT)
    entry = next(iter(session.history()))
    assert entry.seconds >= 0
    assert dict(entry.shown) == {"verdict": "YES", "p_yes": 0.9, "model": "nano"}


def test_blind_people_see_nothing_until_they_have_judged(qtbot, context, session):
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
    assert dict(first.shown) == {}
    assert second.shown["revealed"] is True


def test_what_was_seen_is_not_unseen_by_undo(qtbot, context, session):
    give_opinion(session, 1, "YES", 0.9)
    current = begin(qtbot, context)
    current.blind_mode.set_on(True)
    current.judge(Verdict.REJECT, stay=True)
    current.undo()
    assert current.opinion.verdict is None
    assert not current.blind_mode.hides(current.row)
    shown(qtbot, context, 1)
    current.judge(Verdict.ACCEPT)
    assert list(session.history())[-1].shown["verdict"] == "YES"


@pytest.mark.parametrize("how", ["reveal", "judge and stay"])
def test_what_was_seen_is_not_unseen_by_a_restart(qtbot, context, session, how):
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
        assert current.opinion.verdict is None
        assert not current.blind_mode.hides(current.row)
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


def test_what_was_seen_before_blind_mode_is_hidden_and_stays_known(qtbot, context, session):
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
            told[number] = dict(later.current.blind_mode.seen_opinion(later.current.row)).get(
                "verdict"
            )
        assert told == {1: "YES", 2: "YES", 3: None}


def test_blind_people_walk_no_telling_queue(qtbot, context):
    current = begin(qtbot, context)
    assert current.set_queue(parse_filter("agent:yes"), LIST_ORDER)
    qtbot.waitUntil(lambda: not current._search.is_busy)
    current.blind_mode.set_on(True)  # which was told already: the list is walked as it is
    assert current.queue.tree == parse_filter("")
    for text, sort in (("agent:yes", "list"), ("", "p_yes"), ("disagree:agent", "list")):
        assert not current.set_queue(parse_filter(text), parse_sort(sort))
    assert current.queue.tree == parse_filter("")


def test_another_order_goes_on_from_the_object_on_the_desk(qtbot, context, session):
    current = begin(qtbot, context, 4)
    with qtbot.waitSignal(current.row_changed):
        assert current.set_queue(parse_filter(""), parse_sort("list:down"))
    assert current.candidate.id == 4
    current.next()
    shown(qtbot, context, 3)


def test_a_verdict_while_the_order_is_made_goes_on_in_the_new_one(qtbot, context, session):
    current = begin(qtbot, context, 4)
    current.set_queue(parse_filter(""), parse_sort("list:down"))
    current.judge(Verdict.ACCEPT)
    current.judge(Verdict.REJECT)
    shown(qtbot, context, 3)
    assert verdicts(session) == {4: "ACCEPT"}


def test_an_object_outside_the_filter_can_be_shown_and_judged(qtbot, context, session):
    current = begin(qtbot, context)
    with qtbot.waitSignal(current.row_changed):
        current.set_queue(parse_filter("id>6"), LIST_ORDER)
    current.judge(Verdict.ACCEPT)
    shown(qtbot, context, 7)
    assert verdicts(session) == {1: "ACCEPT"}


def test_what_others_write_is_seen(qtbot, context, session):
    current = begin(qtbot, context)
    session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT, comment="from the review page"))
    assert current.opinion.comment == "from the review page"
    current.set_comment("mine, half typed", save=False)
    session.record_verdict(1, Opinion(verdict=Verdict.REJECT))
    assert current.opinion.comment == "mine, half typed"
    assert current.saved_opinion.verdict is Verdict.REJECT


def test_an_object_judged_elsewhere_is_passed_over(qtbot, context, session):
    current = begin(qtbot, context)
    qtbot.waitUntil(lambda: current._cache.next_unjudged(current.row) is not None)
    session.record_verdict(2, Opinion(verdict=Verdict.REJECT))
    current.judge(Verdict.ACCEPT)
    shown(qtbot, context, 3)


def test_nobody_by_that_number(qtbot, context):
    current = begin(qtbot, context)
    with qtbot.waitSignal(current.failed) as told:
        current.go_to(99)
    assert "99" in told.args[0]
    assert current.candidate.id == 1


def test_a_session_to_read_only_says_why(qtbot, session, tmp_path):
    session.close()
    path = tmp_path / "night.speco3"
    with open_session(path, "Ada", read_only=True) as closed, opened_context(closed) as work:
        current = begin(qtbot, work)
        with qtbot.waitSignal(current.failed) as told:
            current.judge(Verdict.ACCEPT)
        assert "read-only" in told.args[0]
        assert current.candidate.id == 1


def test_an_empty_session_has_words(qtbot, tmp_path):
    with (
        new_session(tmp_path / "empty", find_task("CV"), "Ada") as session,
        opened_context(session) as context,
    ):
        with qtbot.waitSignal(context.current.candidate_changed) as moved:
            context.current.start()
        assert moved.args == [None]
        told = said(qtbot, context.current, lambda: context.current.judge(Verdict.ACCEPT))
        assert told == "No spectrum to judge"


def test_walking_asks_the_session_for_nothing_but_what_comes_next(qtbot, context, monkeypatch):
    """From one known line to the next no key waits for the database."""
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
