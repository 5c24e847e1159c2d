"""In a round of repeats nothing is known of a candidate, and its first verdict stays."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.statistics.repeats import repeats_of
from tests.app.ui.agent.trajectories import record
from tests.app.ui.candidates import copied, sample_file
from tests.app.ui.whole_window import before_window

Key = Qt.Key


def test_a_repeat_shows_no_opinion_and_its_verdict_is_undone(person):
    plan, current = person.current.repeat_round.plan, person.current
    assert len(plan) == 3 and person.number == plan[0]
    assert current.opinion == Opinion() and current.row.mine is None
    assert not current.blind_mode.is_on
    assert (
        person.view.context.agent.shown.trajectory is None
        and person.view.context.agent.shown.is_hidden
    )
    assert person.view.judging.docks["queue"].part.table.isHidden() and person.reads(
        "Repeat 1 of 3"
    )
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
