"""The verdict and p(YES) of the shown record, and the choice among several."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from agent.trajectory.trajectory import Step
from app.core.inspections.store import StoredInspection
from app.ui.agent.verdict_line import VerdictLine
from app.ui.inspection.records import Records
from tests.app.ui.agent.trajectories import NANO, record

YES, NO = record(), record(model=NANO, verdict="NO", p_yes=None)


@pytest.fixture
def line(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    yield VerdictLine(window)  # the window must outlive it


def records(*trajectories):
    stored = tuple(
        StoredInspection(id=number, candidate_id=1, at="", trajectory=each)
        for number, each in enumerate(trajectories)
    )
    return Records(candidate_id=1, inspections=stored)


def test_an_answer_shows_its_p_yes_and_an_interrupted_run_its_outcome(line):
    line.show_records(records(YES))
    line.show_record(YES)
    assert (line.verdict.text(), line.p_yes.full_text) == ("YES", "p(YES) 0.93 · not calibrated")
    assert not line.record.isVisible()
    line.show_record(record(stopped_by="cancelled", verdict=None))
    assert (line.verdict.text(), line.p_yes.full_text) == ("no verdict", "stopped")
    line.show_record(None)
    assert not line.isVisible()


def test_one_of_several_records_is_chosen_or_all_are_compared(qtbot, line):
    line.show_records(records(YES, NO))
    line.show_record(NO)
    assert line.record.isVisible() and line.record.currentText() == "nano"
    with qtbot.waitSignal(line.chosen) as chosen:
        line.record.activated.emit(0)
    assert chosen.args == [YES]
    with qtbot.waitSignal(line.compared) as compared:
        qtbot.mouseClick(line.compare, Qt.MouseButton.LeftButton)
    assert compared.args == [True] and not line.verdict.isVisible()
    line.show_records(records(YES))
    assert not line.compare.isChecked() and line.verdict.isVisible()


def test_the_chooser_names_the_record_shown_when_others_come(line):
    line.show_records(records(NO))
    line.show_record(YES)  # just finished: its record is stored after
    line.show_records(records(NO, YES))
    assert line.record.currentIndex() == 1
    assert line.verdict.text() == "YES"


def test_a_verdict_that_contradicts_what_was_said_is_marked(line):
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


def test_a_narrow_line_keeps_the_number(line):
    line.show_records(records(YES))
    line.show_record(YES)
    line.p_yes.resize(line.p_yes.fontMetrics().horizontalAdvance("p(YES) 0.93") + 2, 20)
    assert line.p_yes.text() == "p(YES) 0.93"
    assert "not calibrated" in line.p_yes.toolTip()


def test_the_p_with_catalogues_stands_below_and_never_in_place_of_the_spectrum_s(line):
    line.show_records(records(YES))
    line.show_record(YES)
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
