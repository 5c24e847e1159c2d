"""How good the measured inspector is on simulated candidates it has not seen."""

from __future__ import annotations

import json
import math

import pytest
import typer
from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.evidence.kinds import read_kinds
from agent.evidence.weights import read_weights
from train.simulate.sky import LABELS
from train.weights.command import judge, weights
from train.weights.judging import JudgedCandidate, candidates, threshold_scores

PROGRAM = typer.Typer()
PROGRAM.command()(weights)
PROGRAM.command()(judge)


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


def test_the_command_writes_weights_that_can_be_read(tmp_path):
    made = CliRunner().invoke(
        PROGRAM,
        ["weights", "--per-label", "10", "--seed", "3", "--workers", "1", "--out", str(tmp_path)],
    )
    assert made.exit_code == 0, made.output
    text = (tmp_path / "kinds.toml").read_text(encoding="utf-8")
    assert "--per-label 10 --seed 3" in text.splitlines()[1]
    assert read_kinds(tmp_path / "kinds.toml").labels == LABELS
    assert read_weights(tmp_path / "tasks.toml")["CV"].is_fitted


def test_the_command_judges_simulated_candidates():
    said = CliRunner().invoke(
        PROGRAM, ["judge", "--count", "30", "--survey", "SDSS", "--workers", "1", "--json"]
    )
    assert said.exit_code == 0, said.output
    found = json.loads(said.stdout)["SDSS"]
    assert set(found) == {"CV", "CS", "SS", "MG", "WD", "O", "B", "A"}
    assert found["CV"]["all"]["count"] == 30
    assert found["CV"]["clear"]["count"] < 30
