"""Texts on the state and outcome of inspections."""

from dataclasses import replace

import pytest

from agent.confidence.calibration import Calibration
from app.ui.judge.agent import status_texts
from app.ui.judge.agent.status_texts import list_run_text, outcome_text, p_yes_text, run_text
from app.ui.session.inspection.list_run import ListRunState
from app.ui.session.inspection.records import Records
from app.ui.session.inspection.shown_trajectory import RunningState
from tests.app.ui.judge.agent.trajectories import SEVEN_B, record

NONE = Records(candidate_id=1)
RULE = Calibration(method="platt", slope=1.0, intercept=-2.0, n=80, positives=20)


def test_p_yes_says_on_what_it_is_based():
    assert p_yes_text(record(), NONE) == "p(YES) 0.93 · not calibrated"
    assert p_yes_text(record(p_yes=None), NONE) == "no p(YES)"
    assert "not a probability" in status_texts.calibration_hint(None)
    records = replace(NONE, calibrations={(SEVEN_B.name, SEVEN_B.sha256): RULE})
    assert p_yes_text(record(p_yes_runs=(0.9, 0.96)), records) == (
        f"p(YES) 0.93 (mean of 2 runs) · calibrated {RULE.apply(0.93):.2f}"
    )
    hint = status_texts.calibration_hint(RULE)
    assert hint == "Calibrated on 80 of your verdicts, 20 of them ACCEPT"


@pytest.mark.parametrize(
    "p, said", [(0.0, "< 0.01"), (0.004, "< 0.01"), (0.5, "0.50"), (1.0, "> 0.99")]
)
def test_no_probability_is_certain(p, said):
    assert status_texts.probability_text(p) == said


def test_outcomes_and_the_status_of_a_run():
    assert outcome_text(record()) == "answered"
    assert outcome_text(record(stopped_by="cancelled", stop_reason="by the user")) == "stopped"
    told = outcome_text(record(stopped_by="error", stop_reason="the server hung up"))
    assert told == "failed: the server hung up"
    run = RunningState(candidate_id=1, object_id="spec-1", z=None, model=SEVEN_B)
    assert run_text(run, is_here=True) == "loading or waiting"
    run.is_started = True
    run.add_text("so")
    assert run_text(run, is_here=False) == "writing, turn 1, on spec-1"
    run.is_paused = True
    assert run_text(run, is_here=True) == "paused"


def test_progress_of_a_list_run():
    state = ListRunState(is_running=True, model="nano", done=1200, left=3600, rate=2.0, faults=3)
    assert list_run_text(state) == "List: 1,200 done, 3 unreadable · 3,600 left · 2.0/s · 30 min"
    assert list_run_text(ListRunState(is_running=True)) == "List: loading the model"
    assert list_run_text(replace(state, is_running=False, faults=0)) == "List: 1,200 done"
    some = ListRunState(is_running=True, is_of_selected=True)
    assert list_run_text(some) == "Selected: loading the model"
    assert list_run_text(replace(some, model="nano", done=2, left=3)) == "Selected: 2 done · 3 left"
    assert list_run_text(replace(some, model="nano", is_stopping=True)) == "Selected: stopping"
