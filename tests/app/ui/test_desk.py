"""What lies on the desk: moving, judging, undoing; nothing unseen is judged."""

from __future__ import annotations

from app.core.records import Verdict


def shown(qtbot, place, candidate_id=None):
    """Wait until the spectrum is there, and say that it was painted, as the plot does."""
    desk = place.desk
    qtbot.waitUntil(lambda: desk.spectrum is not None)
    if candidate_id is not None:
        assert desk.candidate.id == candidate_id
    desk.note_painted(desk.candidate.id)


def test_judging_goes_on_to_the_next(qtbot, workplace, session):
    workplace.desk.start()
    shown(qtbot, workplace, 1)
    workplace.desk.judge(Verdict.ACCEPT)
    shown(qtbot, workplace, 2)
    assert session.judgement(1).opinion.verdict is Verdict.ACCEPT
    assert session.judgement(2) is None


def test_nothing_is_judged_before_it_was_drawn(qtbot, workplace, session):
    workplace.desk.start()
    qtbot.waitUntil(lambda: workplace.desk.spectrum is not None)
    with qtbot.waitSignal(workplace.desk.said) as told:
        workplace.desk.judge(Verdict.ACCEPT)
    assert "drawn" in told.args[0]
    assert session.judgement(1) is None


def test_undo_brings_the_object_and_its_opinion_back(qtbot, workplace, session):
    desk = workplace.desk
    desk.start()
    shown(qtbot, workplace, 1)
    desk.set_comment("宽")
    desk.judge(Verdict.REJECT)
    shown(qtbot, workplace, 2)
    desk.undo()
    assert desk.candidate.id == 1
    assert (desk.opinion.verdict, desk.opinion.comment) == (None, "宽")
    desk.redo()
    assert session.judgement(1).opinion.verdict is Verdict.REJECT
