"""What lies on the desk: moving, judging, undoing; nothing unseen is judged."""

from __future__ import annotations

import csv

import pytest

from agent.tasks.catalogue import task
from app.core.exporting.export import export
from app.core.inspections.store import mark_fault
from app.core.queue import LIST_ORDER, parse_filter, parse_sort
from app.core.session.records import Opinion, Verdict
from app.core.session.session import new_session, open_session
from app.ui.candidate import queue_search
from tests.app.ui.conftest import opened_workplace
from tests.app.ui.opinions import give_opinion


@pytest.fixture(params=["short", "long"], autouse=True)
def length(request, monkeypatch):
    """A long list is searched away from the window: it must come to the same."""
    if request.param == "long":
        monkeypatch.setattr(queue_search, "LONG", 3)


def shown(qtbot, place, candidate_id):
    """Wait until the spectrum is there, and say that it was painted, as the plot does."""
    desk = place.desk
    there = lambda: desk.candidate is not None and desk.candidate.id == candidate_id  # noqa: E731
    qtbot.waitUntil(lambda: there() and desk.spectrum is not None)
    desk.note_painted(candidate_id)
    assert desk.is_painted


def begin(qtbot, place, candidate_id=1):
    place.desk.start()
    shown(qtbot, place, 1)
    if candidate_id != 1:
        place.desk.go_to(candidate_id)
        shown(qtbot, place, candidate_id)
    return place.desk


def said(qtbot, desk, call):
    with qtbot.waitSignal(desk.said) as told:
        call()
    return told.args[0]


def verdicts(session):
    every = {number: session.judgement(number) for number in range(1, session.count() + 1)}
    return {number: str(each.opinion.verdict) for number, each in every.items() if each}


def test_judging_goes_on_to_the_next(qtbot, workplace, session):
    desk = begin(qtbot, workplace)
    desk.judge(Verdict.ACCEPT)
    shown(qtbot, workplace, 2)
    assert verdicts(session) == {1: "ACCEPT"}


def test_nothing_is_judged_before_it_was_drawn(qtbot, workplace, session):
    desk = workplace.desk
    desk.start()
    qtbot.waitUntil(lambda: desk.spectrum is not None)
    assert "drawn" in said(qtbot, desk, lambda: desk.judge(Verdict.ACCEPT))
    assert verdicts(session) == {}


def test_two_quick_keys_judge_one_object(qtbot, workplace, session):
    desk = begin(qtbot, workplace)
    desk.judge(Verdict.ACCEPT)
    desk.judge(Verdict.REJECT)
    desk.judge(Verdict.REJECT)
    shown(qtbot, workplace, 2)
    assert verdicts(session) == {1: "ACCEPT"}
    assert len(list(session.history())) == 1


def test_an_object_left_and_met_again_must_be_drawn_again(qtbot, workplace, session):
    desk = begin(qtbot, workplace)
    desk.next()
    shown(qtbot, workplace, 2)
    desk.previous()
    qtbot.waitUntil(lambda: desk.candidate.id == 1)
    assert not desk.is_painted


def test_staying_judges_and_stays(qtbot, workplace, session):
    desk = begin(qtbot, workplace)
    desk.judge(Verdict.UNSURE, stay=True, confidence=2)
    desk.judge(Verdict.UNSURE, stay=True)
    assert desk.candidate.id == 1
    assert desk.opinion == desk.saved == Opinion(verdict=Verdict.UNSURE, confidence=2)
    assert desk.line.mine.opinion == desk.opinion
    assert len(list(session.history())) == 1


def test_the_last_one_is_followed_by_the_first_unjudged(qtbot, workplace, session):
    session.record_verdict(1, Opinion(verdict=Verdict.REJECT))
    workplace.desk.start()
    shown(qtbot, workplace, 2)
    workplace.desk.go_to(12)
    shown(qtbot, workplace, 12)
    workplace.desk.judge(Verdict.ACCEPT)
    shown(qtbot, workplace, 2)


def test_when_all_are_judged_it_says_so_and_stays(qtbot, workplace, session):
    for number in range(2, 13):
        session.record_verdict(number, Opinion(verdict=Verdict.REJECT))
    desk = begin(qtbot, workplace)
    assert "Nothing is left" in said(qtbot, desk, lambda: desk.judge(Verdict.ACCEPT))
    assert desk.candidate.id == 1
    desk.judge(Verdict.REJECT, stay=True)  # it is still on screen, and may be judged otherwise
    assert verdicts(session)[1] == "REJECT"


def test_broken_spectra_are_passed_over_by_judging_but_can_be_reached(qtbot, workplace, session):
    mark_fault(session, 2, "no such file")
    desk = begin(qtbot, workplace)
    desk.judge(Verdict.ACCEPT)
    shown(qtbot, workplace, 3)
    desk.previous()
    qtbot.waitUntil(lambda: desk.candidate.id == 2)


def test_what_cannot_be_read_is_marked_and_cannot_be_judged(qtbot, tmp_path):
    with new_session(tmp_path / "broken", task("CV"), "Ada") as session:
        give_list(session, tmp_path, ["missing.fits", "absent.fits"])
        with opened_workplace(session) as place:
            with qtbot.waitSignal(place.desk.unreadable) as why:
                place.desk.start()
            assert "missing.fits" in why.args[0]
            told = said(qtbot, place.desk, lambda: place.desk.judge(Verdict.ACCEPT))
            assert "cannot be judged" in told
            qtbot.waitUntil(lambda: session.candidate(1).fault != "")
            place.desk.next_unjudged()
            qtbot.waitUntil(lambda: place.desk.candidate.id == 2)
    assert session.is_read_only is False


def give_list(session, tmp_path, names):
    from app.core.importing.importer import import_list

    rows = "".join(f"{name},{name}\n" for name in names)
    (tmp_path / "list.csv").write_text("file,object_id\n" + rows, encoding="utf-8")
    import_list(session, tmp_path / "list.csv")


def test_going_back_shows_the_verdict_just_given(qtbot, workplace):
    desk = begin(qtbot, workplace)
    desk.judge(Verdict.REJECT)
    shown(qtbot, workplace, 2)
    desk.previous()
    shown(qtbot, workplace, 1)
    assert desk.opinion.verdict is Verdict.REJECT
    desk.next()
    shown(qtbot, workplace, 2)
    assert desk.opinion.verdict is None


def test_both_ends_are_said(qtbot, workplace):
    desk = begin(qtbot, workplace)
    assert "first" in said(qtbot, desk, desk.previous)
    desk.go_to(12)
    shown(qtbot, workplace, 12)
    assert "last" in said(qtbot, desk, desk.next)


def test_undo_brings_the_object_and_its_opinion_back(qtbot, workplace, session):
    desk = begin(qtbot, workplace)
    desk.set_comment("宽")
    desk.judge(Verdict.REJECT)
    shown(qtbot, workplace, 2)
    desk.undo()
    assert desk.candidate.id == 1
    assert (desk.opinion.verdict, desk.opinion.comment) == (None, "宽")
    desk.redo()
    assert session.judgement(1).opinion.verdict is Verdict.REJECT


def test_undo_returns_object_and_former_verdict_after_a_restart(qtbot, tmp_path, session):
    with opened_workplace(session) as place:
        desk = begin(qtbot, place)
        desk.judge(Verdict.ACCEPT, confidence=4)
        shown(qtbot, place, 2)
        desk.go_to(1)
        shown(qtbot, place, 1)
        desk.judge(Verdict.REJECT, confidence=1)
        shown(qtbot, place, 2)
    session.close()
    with open_session(tmp_path / "night.speco3", "Ada") as again, opened_workplace(again) as place:
        place.desk.start()
        shown(qtbot, place, 2)
        place.desk.undo()
        assert place.desk.candidate.id == 1
        assert place.desk.opinion == Opinion(verdict=Verdict.ACCEPT, confidence=4)
        place.desk.undo()
        assert place.desk.opinion == Opinion()
        assert "Nothing to undo" in said(qtbot, place.desk, place.desk.undo)


def test_a_comment_stays_with_the_object_it_was_typed_for(qtbot, workplace, session):
    desk = begin(qtbot, workplace)
    desk.set_comment("half a wor", save=False)
    assert session.judgement(1) is None
    desk.go_to(5)
    shown(qtbot, workplace, 5)
    assert session.judgement(1).opinion == Opinion(comment="half a wor")
    assert desk.opinion == Opinion()
    desk.set_comment("of five", save=False)
    desk.judge(Verdict.UNSURE)
    shown(qtbot, workplace, 6)
    assert session.judgement(5).opinion == Opinion(verdict=Verdict.UNSURE, comment="of five")


def test_what_was_typed_last_is_kept_on_closing(qtbot, session):
    with opened_workplace(session) as place:
        begin(qtbot, place).set_comment("typed and closed", save=False)
    assert session.judgement(1).opinion.comment == "typed and closed"


def test_a_comment_that_cannot_be_kept_keeps_the_object(qtbot, workplace, session):
    desk = begin(qtbot, workplace)
    desk.set_comment("half of a character: \ud800", save=False)
    with qtbot.waitSignal(desk.failed) as told:
        desk.go_to(3)
    assert "character" in told.args[0]
    assert desk.candidate.id == 1
    desk.set_comment("whole")
    desk.go_to(3)
    assert desk.candidate.id == 3
    assert session.judgement(1).opinion.comment == "whole"


def test_leaving_a_comment_untouched_writes_nothing(qtbot, workplace, session):
    desk = begin(qtbot, workplace)
    desk.set_confidence(3)
    desk.set_comment("")
    assert list(session.history()) == []
    assert desk.opinion == Opinion(confidence=3)


def test_confidence_belongs_to_the_verdict(qtbot, workplace, session):
    desk = begin(qtbot, workplace)
    desk.set_confidence(4)
    desk.judge(Verdict.ACCEPT)
    shown(qtbot, workplace, 2)
    assert desk.opinion.confidence is None
    assert session.judgement(1).opinion.confidence == 4
    desk.go_to(1)
    desk.set_confidence(None)
    assert session.judgement(1).opinion == Opinion(verdict=Verdict.ACCEPT)


def test_flags_come_and_go_and_leave_the_verdict_alone(qtbot, workplace, session):
    desk = begin(qtbot, workplace)
    desk.judge(Verdict.ACCEPT, stay=True)
    desk.toggle_flag("star")
    desk.toggle_flag("sky")
    desk.toggle_flag("star")
    assert session.judgement(1).opinion == Opinion(verdict=Verdict.ACCEPT, flags=("sky",))


def test_seconds_and_what_was_seen_are_written_down(qtbot, workplace, session):
    give_opinion(session, 1, "YES", 0.9)
    desk = begin(qtbot, workplace)
    desk.judge(Verdict.ACCEPT)
    entry = next(iter(session.history()))
    assert entry.seconds >= 0
    assert dict(entry.shown) == {"verdict": "YES", "p_yes": 0.9, "model": "nano"}


def test_blind_people_see_nothing_until_they_have_judged(qtbot, workplace, session):
    give_opinion(session, 1, "YES", 0.9)
    give_opinion(session, 2, "NO", 0.1)
    workplace.desk.blindness.turn(True)
    desk = begin(qtbot, workplace)
    assert desk.blindness.hides(desk.line)
    desk.judge(Verdict.REJECT)
    shown(qtbot, workplace, 2)
    desk.reveal()
    assert not desk.blindness.hides(desk.line)
    desk.judge(Verdict.REJECT)
    first, second = session.history()
    assert dict(first.shown) == {}
    assert second.shown["revealed"] is True


def test_what_was_seen_is_not_unseen_by_undo(qtbot, workplace, session):
    give_opinion(session, 1, "YES", 0.9)
    desk = begin(qtbot, workplace)
    desk.blindness.turn(True)
    desk.judge(Verdict.REJECT, stay=True)
    desk.undo()
    assert desk.opinion.verdict is None
    assert not desk.blindness.hides(desk.line)
    shown(qtbot, workplace, 1)
    desk.judge(Verdict.ACCEPT)
    assert list(session.history())[-1].shown["verdict"] == "YES"


@pytest.mark.parametrize("how", ["reveal", "judge and stay"])
def test_what_was_seen_is_not_unseen_by_a_restart(qtbot, workplace, session, how):
    give_opinion(session, 1, "YES", 0.9)
    workplace.desk.blindness.turn(True)
    desk = begin(qtbot, workplace)
    if how == "reveal":
        desk.reveal()
    else:
        desk.judge(Verdict.REJECT, stay=True)
    place = session.place
    workplace.agent.close()
    desk.close()
    session.close()
    with open_session(place, "Ada") as again, opened_workplace(again) as later:
        desk = later.desk
        if how != "reveal":
            desk.undo()
        desk.go_to(1)
        assert desk.opinion.verdict is None
        assert not desk.blindness.hides(desk.line)
        shown(qtbot, later, 1)
        desk.judge(Verdict.ACCEPT)
        out = later.bridge.session.place.with_name("out.csv")
        export(again, out)
        with out.open(newline="", encoding="utf-8") as file:
            (row,) = (row for row in csv.DictReader(file) if row["verdict"])
        assert row["agent_seen_before"] == "True"
    with open_session(place, "Ben") as other, opened_workplace(other) as theirs:
        theirs.desk.go_to(1)
        assert theirs.desk.blindness.hides(theirs.desk.line)


def test_what_was_seen_before_blind_mode_is_hidden_and_stays_known(qtbot, workplace, session):
    for number in (1, 2):
        give_opinion(session, number, "YES", 0.9)
    desk = begin(qtbot, workplace)
    desk.next()
    shown(qtbot, workplace, 2)
    desk.judge(Verdict.REJECT)
    shown(qtbot, workplace, 3)
    workplace.agent.close()
    desk.close()
    with opened_workplace(session) as later:
        later.desk.blindness.turn(True)
        give_opinion(session, 3, "YES", 0.9)
        later.desk.undo()
        told = {}
        for number in (1, 2, 3):
            later.desk.go_to(number)
            assert later.desk.blindness.hides(later.desk.line)
            told[number] = dict(later.desk.blindness.shown(later.desk.line)).get("verdict")
        assert told == {1: "YES", 2: "YES", 3: None}


def test_blind_people_walk_no_telling_queue(qtbot, workplace):
    desk = begin(qtbot, workplace)
    assert desk.walk(parse_filter("agent:yes"), LIST_ORDER)
    qtbot.waitUntil(lambda: not desk._seeker.is_busy)
    desk.blindness.turn(True)  # which was told already: the list is walked as it is
    assert desk.queue.tree == parse_filter("")
    for text, sort in (("agent:yes", "list"), ("", "p_yes"), ("disagree:agent", "list")):
        assert not desk.walk(parse_filter(text), parse_sort(sort))
    assert desk.queue.tree == parse_filter("")


def test_another_order_goes_on_from_the_object_on_the_desk(qtbot, workplace, session):
    desk = begin(qtbot, workplace, 4)
    with qtbot.waitSignal(desk.line_changed):
        assert desk.walk(parse_filter(""), parse_sort("list:down"))
    assert desk.candidate.id == 4
    desk.next()
    shown(qtbot, workplace, 3)


def test_a_verdict_while_the_order_is_made_goes_on_in_the_new_one(qtbot, workplace, session):
    desk = begin(qtbot, workplace, 4)
    desk.walk(parse_filter(""), parse_sort("list:down"))
    desk.judge(Verdict.ACCEPT)
    desk.judge(Verdict.REJECT)
    shown(qtbot, workplace, 3)
    assert verdicts(session) == {4: "ACCEPT"}


def test_an_object_outside_the_filter_can_be_shown_and_judged(qtbot, workplace, session):
    desk = begin(qtbot, workplace)
    with qtbot.waitSignal(desk.line_changed):
        desk.walk(parse_filter("id>6"), LIST_ORDER)
    desk.judge(Verdict.ACCEPT)
    shown(qtbot, workplace, 7)
    assert verdicts(session) == {1: "ACCEPT"}


def test_what_others_write_is_seen(qtbot, workplace, session):
    desk = begin(qtbot, workplace)
    session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT, comment="from the review page"))
    assert desk.opinion.comment == "from the review page"
    desk.set_comment("mine, half typed", save=False)
    session.record_verdict(1, Opinion(verdict=Verdict.REJECT))
    assert desk.opinion.comment == "mine, half typed"
    assert desk.saved.verdict is Verdict.REJECT


def test_an_object_judged_elsewhere_is_passed_over(qtbot, workplace, session):
    desk = begin(qtbot, workplace)
    qtbot.waitUntil(lambda: desk._lookout.next_unjudged(desk.line) is not None)
    session.record_verdict(2, Opinion(verdict=Verdict.REJECT))
    desk.judge(Verdict.ACCEPT)
    shown(qtbot, workplace, 3)


def test_nobody_by_that_number(qtbot, workplace):
    desk = begin(qtbot, workplace)
    with qtbot.waitSignal(desk.failed) as told:
        desk.go_to(99)
    assert "99" in told.args[0]
    assert desk.candidate.id == 1


def test_a_session_to_read_only_says_why(qtbot, session, tmp_path):
    session.close()
    place = tmp_path / "night.speco3"
    with open_session(place, "Ada", read_only=True) as closed, opened_workplace(closed) as work:
        desk = begin(qtbot, work)
        with qtbot.waitSignal(desk.failed) as told:
            desk.judge(Verdict.ACCEPT)
        assert "read-only" in told.args[0]
        assert desk.candidate.id == 1


def test_an_empty_session_has_words(qtbot, tmp_path):
    with (
        new_session(tmp_path / "empty", task("CV"), "Ada") as session,
        opened_workplace(session) as place,
    ):
        with qtbot.waitSignal(place.desk.moved) as moved:
            place.desk.start()
        assert moved.args == [None]
        told = said(qtbot, place.desk, lambda: place.desk.judge(Verdict.ACCEPT))
        assert "Nothing is on the desk" in told


def test_walking_asks_the_session_for_nothing_but_what_comes_next(qtbot, workplace, monkeypatch):
    """From one known line to the next no key waits for the database."""
    desk = begin(qtbot, workplace)
    qtbot.waitUntil(lambda: desk._lookout.next(desk.line) is not None)

    def refuse(*_):
        raise AssertionError("the window's thread reads the database")

    with monkeypatch.context() as patched:
        patched.setattr("app.ui.candidate.current.line_of", refuse)
        patched.setattr("app.ui.candidate.current.next_of", refuse)
        desk.next()
        desk.next()
        desk.previous()
    assert desk.candidate.id == 2
