"""Objects shown again: nothing is known of them, and the first verdict stays."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.statistics.repeats import repeats_of
from tests.app.ui.agent.trajectories import record
from tests.app.ui.whole_window import before_window, copied, sample_file

Key = Qt.Key
HERE = 30


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """All sixty of the sample are accepted, and the agent says YES of the first."""
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


def on_to(person, place):
    """Wait until the object at that place of the plan is on screen."""
    person.sees(person.current.repeat_round.plan[place])


def test_nothing_tells_what_was_said_of_it(person):
    plan, current = person.current.repeat_round.plan, person.current
    assert len(plan) == 3 and person.number == plan[0]
    assert current.opinion == Opinion() and current.row.mine is None
    assert not current.blind_mode.is_on
    assert (
        person.view.context.agent.shown.trajectory is None
        and person.view.context.agent.shown.is_hidden
    )
    assert not person.view.judging.queue.table.isVisible()
    assert person.reads("Repeat 1 of 3")
    assert not person.reads("accepted") and not person.reads("0.93")
    person.press("v", Qt.KeyboardModifier.ShiftModifier)
    assert "This is a repeat" in person.view.status.message.full_text
    person.press(Key.Key_Return)
    assert repeats_of(person.session) == []
    add_inspection(person.session, plan[0], record())  # what comes meanwhile tells nothing either
    assert current.row.mine is None and current.blind_mode.hides(current.row)


def test_what_is_said_stands_beside_the_first_verdict(person):
    plan, before = person.current.repeat_round.plan, person.log()
    person.press("4")
    person.press("x")
    on_to(person, 1)
    person.press("n")  # passed over
    on_to(person, 2)
    person.press("a")
    person.sees(HERE)
    first, last = repeats_of(person.session)
    assert [first.candidate_id, last.candidate_id] == [plan[0], plan[2]]
    assert first.second == Opinion(verdict=Verdict.REJECT, confidence=4)
    assert (first.first.verdict, last.second.verdict) == (Verdict.ACCEPT, Verdict.ACCEPT)
    assert first.seconds is not None
    assert person.log() == before
    assert person.opinion(plan[0]).verdict is Verdict.ACCEPT
    assert not person.current.repeat_round.is_on
    assert person.view.judging.queue.table.isVisible()
    assert "how consistent" in person.view.status.message.full_text
    person.go(plan[0])
    assert person.current.opinion.verdict is Verdict.ACCEPT


def test_undo_brings_it_back_unknown_as_before(person):
    plan, before = person.current.repeat_round.plan, person.log()
    person.press("x")
    on_to(person, 1)
    person.press("z", Qt.KeyboardModifier.ControlModifier)
    on_to(person, 0)
    assert repeats_of(person.session) == [] and person.log() == before
    assert person.current.opinion.verdict is None
    person.press("u")
    on_to(person, 1)
    (repeat,) = repeats_of(person.session)
    assert (repeat.candidate_id, repeat.second.verdict) == (plan[0], Verdict.UNSURE)


def test_another_word_on_it_takes_the_place_of_the_first(person):
    for key in ("x", "u"):
        person.press(key, Qt.KeyboardModifier.ShiftModifier)
    (repeat,) = repeats_of(person.session)
    assert repeat.second.verdict is Verdict.UNSURE


def test_enough_leads_back(person):
    QTest.mouseClick(person.view.judging.repeat_line.stop, Qt.MouseButton.LeftButton)
    person.sees(HERE)
    assert not person.current.repeat_round.is_on
    assert person.current.opinion.verdict is Verdict.ACCEPT


def test_who_goes_elsewhere_has_done_with_it(person):
    person.press("b")  # before the first there is nothing
    on_to(person, 0)
    person.current.go_to(44)
    person.sees(44)
    assert not person.current.repeat_round.is_on
    person.press("n")
    person.sees(45)


def test_few_verdicts_are_too_few(qtbot, tmp_path):
    with before_window(qtbot, sample_file(tmp_path, 3)) as person:
        person.window.commands.run("show_again")
        person.wait(lambda: "Nothing to repeat" in person.view.status.message.full_text)
        assert person.number == 1 and not person.current.repeat_round.is_on
