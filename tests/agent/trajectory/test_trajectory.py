"""What a record says about itself: its looks, its reasons, and the part before a turn."""

from __future__ import annotations

from agent.trajectory.trajectory import ModelRef, SpectrumRef, Step, Trajectory

LOOK = Step(kind="zoom", turn=0, range=(6400.0, 6700.0))
REMARK = Step(kind="text", turn=0, by="person", text="Look again.")
REFUSED = Step(kind="zoom", turn=1, range=(1.0, 2.0), error="outside the data")
FIRST = Step(kind="answer", turn=2, text="not sure", verdict="NO")
LAST = Step(kind="answer", turn=3, text="broad Hα", verdict="YES")
RECORD = Trajectory(
    task="CV",
    spectrum=SpectrumRef(object_id="J0001"),
    model=ModelRef(name="nano"),
    steps=(LOOK, REMARK, REFUSED, FIRST, LAST),
    replies=("a", "b", "c", "d"),
    stopped_by="answer",
    verdict="YES",
    p_yes=0.9,
    p_yes_runs=(0.8, 1.0),
    well_formed=True,
)


def test_only_a_zoom_that_drew_a_picture_is_a_look():
    assert RECORD.looks == (LOOK,)
    assert not Step(kind="zoom").is_look
    assert not Step(kind="text", range=(1.0, 2.0)).is_look


def test_the_reasons_are_those_of_the_last_answer():
    assert RECORD.reasons == "broad Hα"
    assert RECORD.until(0).reasons == ""


def test_the_part_before_a_turn_has_no_outcome():
    part = RECORD.until(1)
    assert part.steps == (LOOK, REMARK)
    assert part.replies == ("a",)
    assert (part.verdict, part.p_yes, part.p_yes_runs, part.well_formed) == (None, None, (), False)
    assert part.spectrum == RECORD.spectrum
