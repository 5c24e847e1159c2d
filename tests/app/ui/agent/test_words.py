"""What the panel says in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.confidence.calibration import Calibration
from app.ui.agent.words import batch_words, chance, ended_words, run_words, sureness, sureness_hint
from app.ui.inspection.list_run import ListRunState
from app.ui.inspection.records import Records
from app.ui.inspection.running import RunningState
from tests.app.ui.agent.trajectories import SEVEN_B, record

NONE = Records(candidate_id=1)
RULE = Calibration(method="platt", slope=1.0, intercept=-2.0, n=80, positives=20)


def test_not_calibrated_is_said_plainly():
    assert sureness(record(), NONE) == "p(YES) 0.93 · not calibrated"
    assert sureness(record(p_yes=None), NONE) == "gives no p(YES)"
    assert "no probability" in sureness_hint(None)


def test_calibrated_with_what_it_rests_on():
    records = replace(NONE, calibrations={(SEVEN_B.name, SEVEN_B.sha256): RULE})
    assert sureness(record(p_yes_runs=(0.9, 0.96)), records) == (
        f"p(YES) 0.93 (mean of 2 runs) · calibrated {RULE.apply(0.93):.2f}"
    )
    assert sureness_hint(RULE) == "Calibrated on 80 of your verdicts, 20 of them ACCEPT"


@pytest.mark.parametrize(
    "p, said", [(0.0, "< 0.01"), (0.004, "< 0.01"), (0.5, "0.50"), (1.0, "> 0.99")]
)
def test_nobody_is_certain(p, said):
    assert chance(p) == said


def test_why_it_ended():
    assert ended_words(record()) == "answered"
    assert ended_words(record(stopped_by="cancelled", stop_reason="by the user")) == "was stopped"
    told = ended_words(record(stopped_by="error", stop_reason="the server hung up"))
    assert told == "broke off: the server hung up"


def test_what_a_run_does():
    run = RunningState(candidate_id=1, object_id="spec-1", z=None, model=SEVEN_B)
    assert run_words(run, is_here=True) == "loading, or waiting its turn"
    run.is_started = True
    run.take_words("so")
    assert run_words(run, is_here=False) == "speaking, turn 1, on spec-1"
    run.is_held = True
    assert run_words(run, is_here=True) == "held"


def test_how_far_the_list_is():
    state = ListRunState(is_running=True, model="nano", done=1200, left=3600, rate=2.0, faults=3)
    assert (
        batch_words(state) == "List: 1,200 done · 3,600 left · 2.0/s · 30 min · 3 without a record"
    )
    assert batch_words(ListRunState(is_running=True)) == "List: loading the model"
    assert batch_words(replace(state, is_running=False, faults=0)) == "List: 1,200 inspected"
