"""How good the measured inspector is on simulated candidates it has not seen."""

from __future__ import annotations

import math

import pytest

from agent.errors import WorkbenchError
from train.weights.judging import JudgedCandidate, candidates, threshold_scores


def outcome(label: str, p_yes: float) -> JudgedCandidate:
    return JudgedCandidate(name="x", label=label, snr=20.0, p_yes=p_yes, likeliest="CV")


def test_figures_of_a_list():
    rows = [outcome("CV", 0.9), outcome("CV", 0.4), outcome("QSO", 0.7), outcome("QSO", 0.1)]
    found = threshold_scores(rows, "CV")
    assert (found.f1, found.precision, found.recall) == (0.5, 0.5, 0.5)
    assert found.brier == pytest.approx((0.01 + 0.36 + 0.49 + 0.01) / 4)
    assert found.calibration_error == pytest.approx((0.1 + 0.6 + 0.7 + 0.1) / 4)
    assert math.isnan(threshold_scores(rows[2:], "CV").recall)
    with pytest.raises(WorkbenchError, match="no candidates of CV"):
        threshold_scores([], "CV")


@pytest.mark.parametrize(("task_id", "least"), [("CV", 0.8), ("MG", 0.85), ("WD", 0.7)])
def test_simulated_candidates_are_judged_well(task_id, least):
    rows = candidates(task_id, "SDSS", 60, seed=4242)
    assert len(rows) == 60 and sum(row.label == task_id for row in rows) == 10
    found = threshold_scores(rows, task_id)
    assert found.f1 >= least, [row for row in rows if (row.label == task_id) != (row.p_yes > 0.5)]
    assert found.brier < 0.1


def test_candidates_do_not_depend_on_the_number_of_workers():
    assert candidates("CV", "LAMOST", 60, 5) == candidates("CV", "LAMOST", 60, 5, workers=2)
