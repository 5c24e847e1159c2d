"""A verdict against what was said is told in one plain sentence."""

from __future__ import annotations

import pytest

from agent.trajectory.trajectory import ModelRef, Step
from app.ui.agent.contradiction import contradiction
from tests.app.ui.agent.trajectories import look, record


def judged(verdict: str, *thoughts: str, **changes: object):
    steps = [look(6450, 6750)]
    steps += [Step(kind="think", turn=n, text=text) for n, text in enumerate(thoughts)]
    steps.append(Step(kind="answer", turn=9, text="Hα.", verdict=verdict))  # type: ignore[arg-type]
    return record(steps=tuple(steps), verdict=verdict, **changes)


WR = "Hα (--) -78. Like a Wolf-Rayet star. Enough seen."
CV = "Hα (--) -78. Like a cataclysmic variable. Check Hβ."


@pytest.mark.parametrize(
    ("verdict", "thoughts", "text"),
    [
        ("YES", [WR] * 4, "It said “like a Wolf-Rayet star” 4 times, then YES."),
        ("YES", [CV, WR], "It said “like a Wolf-Rayet star”, then YES."),
        ("NO", [WR, CV, CV], "It said “like a cataclysmic variable” 2 times, then NO."),
        ("YES", [WR, CV], ""),
        ("NO", [CV, WR], ""),
        ("YES", ["Not like a quasar. It is broad."], ""),
        ("NO", ["It looks like a quasar."], ""),
        ("YES", ["It looks like a teapot."], ""),
    ],
)
def test_the_kind_named_last_decides(verdict, thoughts, text):
    assert contradiction(judged(verdict, *thoughts)) == text


def test_first_sight_and_classes_of_ones_own_are_not_judged():
    first = Step(kind="think", turn=0, text="At first sight it looks like a quasar: no Hα.")
    steps = (first, *judged("YES").steps)
    assert contradiction(record(steps=steps)) == ""
    assert contradiction(judged("YES", WR, task="MY_CLASS")) == ""
    assert contradiction(judged("YES", WR, stopped_by="cancelled")) != ""
    assert contradiction(record(verdict=None, stopped_by="cancelled")) == ""


def test_a_panel_that_quotes_both_members_contradicts_nothing():
    said = "nano-eye: NO, p 0.30: More like a quasar.\nmeasured: YES, p 0.95: Hα in emission."
    steps = (look(6450, 6750), Step(kind="answer", turn=1, text=said, verdict="YES", label="panel"))
    panel = ModelRef(name="panel", engine="panel", sha256="p" * 64)
    assert contradiction(record(steps=steps)) != ""
    assert contradiction(record(steps=steps, model=panel)) == ""
