"""In a round of repeats nothing is known of a candidate, and its first verdict stays."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from app.core.statistics.repeats import repeats_of
from tests.app.ui.agent.trajectories import record
from tests.app.ui.repeating import HERE, go_to_repeat, judged, person

__all__ = ["judged", "person"]
Key = Qt.Key


def test_a_repeat_shows_no_opinion(person):
    plan, current = person.current.repeat_round.plan, person.current
    assert len(plan) == 3 and person.number == plan[0]
    assert current.opinion == Opinion() and current.row.mine is None
    assert not current.blind_mode.is_on
    assert (
        person.view.context.agent.shown.trajectory is None
        and person.view.context.agent.shown.is_hidden
    )
    assert person.view.judging.docks["queue"].part.table.isHidden()
    assert person.reads("Repeat 1 of 3")
    assert not person.reads("accepted") and not person.reads("0.93")
    person.press("v", Qt.KeyboardModifier.ShiftModifier)
    assert "This is a repeat" in person.view.status.message.full_text
    person.press(Key.Key_Return)
    assert repeats_of(person.session) == []
    add_inspection(person.session, plan[0], record())  # what comes meanwhile tells nothing either
    assert current.row.mine is None and current.blind_mode.hides(current.row)


def test_a_repeated_verdict_is_stored_beside_the_first(person):
    plan, before = person.current.repeat_round.plan, person.log()
    person.press("4")
    person.press("x")
    go_to_repeat(person, 1)
    person.press("n")  # passed over
    go_to_repeat(person, 2)
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
    assert not person.view.judging.docks["queue"].part.table.isHidden()
    assert "how consistent" in person.view.status.message.full_text
    person.go(plan[0])
    assert person.current.opinion.verdict is Verdict.ACCEPT


def test_undo_returns_to_the_repeat_without_its_verdict(person):
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


def test_a_second_repeated_verdict_replaces_the_first(person):
    for key in ("x", "u"):
        person.press(key, Qt.KeyboardModifier.ShiftModifier)
    (repeat,) = repeats_of(person.session)
    assert repeat.second.verdict is Verdict.UNSURE


def test_going_elsewhere_ends_the_round(person):
    person.press("b")  # before the first there is nothing
    go_to_repeat(person, 0)
    person.current.go_to(44)
    person.sees(44)
    assert not person.current.repeat_round.is_on
    person.press("n")
    person.sees(45)
