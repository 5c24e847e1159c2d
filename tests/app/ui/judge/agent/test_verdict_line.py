"""The verdict and p(YES) of the shown record, the choice among several, and texts on a run."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QWidget

from agent.confidence.calibration import Calibration
from agent.trajectory.trajectory import ModelRef, Step
from app.core.inspections.store import StoredInspection
from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.agent import status_texts
from app.ui.judge.agent.status_texts import list_run_text, outcome_text, p_yes_text, run_text
from app.ui.judge.agent.verdict_line import VerdictLine, contradiction
from app.ui.session.inspection.list_run import ListRunState
from app.ui.session.inspection.records import Records
from app.ui.session.inspection.shown_trajectory import RunningState
from tests.app.ui.judge.agent.conftest import compare
from tests.app.ui.judge.agent.trajectories import NANO, SEVEN_B, look, record
from tests.app.ui.steps import click, heard, shown_in

YES, NO = record(), record(model=NANO, verdict="NO", p_yes=None)


@pytest.fixture
def line(qtbot):
    window = shown_in(qtbot, QWidget())  # it must outlive the line
    yield VerdictLine(CurrentTheme(), window)


def records(*trajectories):
    stored = tuple(
        StoredInspection(id=number, candidate_id=1, at="", trajectory=each)
        for number, each in enumerate(trajectories)
    )
    return Records(candidate_id=1, inspections=stored)


def test_answers_narrow_lines_and_catalogues(line):
    line.show_records(records(YES))
    line.show_record(YES)
    assert (line.verdict.text(), line.p_yes.full_text) == ("YES", "p(YES) 0.93 · not calibrated")
    assert not line.record.isVisible()
    line.show_record(record(stopped_by="cancelled", verdict=None))
    assert (line.verdict.text(), line.p_yes.full_text) == ("no verdict", "stopped")
    line.show_record(None)
    assert not line.isVisible()
    line.show_record(YES)
    line.p_yes.resize(line.p_yes.fontMetrics().horizontalAdvance("p(YES) 0.93") + 2, 20)
    assert line.p_yes.text() == "p(YES) 0.93" and "not calibrated" in line.p_yes.toolTip()
    line.p_yes.resize(line.p_yes.fontMetrics().horizontalAdvance("0.93") + 2, 20)
    assert line.p_yes.text() == "0.93"  # a number is never cut
    assert not line.combined.isVisible()
    line.show_catalogues(-2.0)
    assert line.combined.isVisible() and line.combined.full_text == "with catalogues 0.64 (−2.0)"
    assert line.p_yes.full_text == "p(YES) 0.93 · not calibrated"
    assert "not calibrated" in line.combined.toolTip()
    line.show_record(record(stopped_by="cancelled", verdict=None))
    assert not line.combined.isVisible()
    line.show_record(YES)
    assert line.combined.isVisible()
    line.show_catalogues(None)
    assert not line.combined.isVisible()


def test_one_of_several_records_is_chosen_named_or_compared(qtbot, line):
    line.show_records(records(YES, NO))
    line.show_record(NO)
    assert line.record.isVisible() and line.record.text() == "Record of nano ▾"
    click(qtbot, line.record)
    assert heard(qtbot, line.chosen, line.menu.actions()[0].trigger) == YES
    line.menu.close()
    with qtbot.waitSignal(line.compared) as compared:
        compare(qtbot, line)
    assert compared.args == [True] and not line.verdict.isVisible()
    line.show_records(records(YES))
    assert not line.compare.isChecked() and line.verdict.isVisible()
    line.show_records(records(NO))
    line.show_record(YES)  # just finished: its record is stored after
    line.show_records(records(NO, YES))
    assert line.record.text() == "Record of spec-o3-7b ▾" and line.verdict.text() == "YES"
    wolf = Step(kind="think", turn=1, text="Hα (--) -78. Like a Wolf-Rayet star.")
    odd = record(steps=(*YES.steps[:2], wolf, wolf, *YES.steps[3:]))
    line.show_records(records(odd))
    line.show_record(odd)
    assert line.warning.isVisible()
    assert line.warning.text() == "It said “like a Wolf-Rayet star” 2 times, then YES."
    line.show_record(YES)
    assert not line.warning.isVisible()
    line.show_record(odd)
    line.compare.setChecked(True)
    assert not line.warning.isVisible()


def said_and_judged(verdict: str, *thoughts: str, **changes: object):
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
    assert contradiction(said_and_judged(verdict, *thoughts)) == text


def test_first_sight_own_classes_and_panels_contradict_nothing():
    first = Step(kind="think", turn=0, text="At first sight it looks like a quasar: no Hα.")
    steps = (first, *said_and_judged("YES").steps)
    assert contradiction(record(steps=steps)) == ""
    assert contradiction(said_and_judged("YES", WR, task="MY_CLASS")) == ""
    assert contradiction(said_and_judged("YES", WR, stopped_by="cancelled")) != ""
    assert contradiction(record(verdict=None, stopped_by="cancelled")) == ""
    said = "nano-eye: NO, p 0.30: More like a quasar.\nmeasured: YES, p 0.95: Hα in emission."
    steps = (look(6450, 6750), Step(kind="answer", turn=1, text=said, verdict="YES", label="panel"))
    panel = ModelRef(name="panel", engine="panel", sha256="p" * 64)
    assert contradiction(record(steps=steps)) != ""
    assert contradiction(record(steps=steps, model=panel)) == ""


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
