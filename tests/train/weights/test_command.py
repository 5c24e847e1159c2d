import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.evidence.assessment import TaskWeights, read_weights
from agent.evidence.features import FEATURES
from agent.evidence.kinds import Kinds, read_kinds
from agent.tasks.catalogue import bundled_tasks
from train.simulate.sky import LABELS
from train.weights import command, draws
from train.weights.command import (
    JudgedCandidate,
    candidates,
    measured,
    threshold_scores,
    weights,
    write_kinds,
    write_tasks,
)
from train.weights.draws import Draws, draw, one_observed, one_source

PROGRAM = typer.Typer()
PROGRAM.command()(weights)
PROGRAM.command()(measured)


@pytest.fixture(scope="module")
def one_of_each() -> Draws:
    return draw(1, seed=3)


def test_the_command_writes_usable_weights_that_can_be_read(tmp_path, monkeypatch, one_of_each):
    # The same spectra again and again: measuring takes longer than the fit.
    drawn = one_of_each.part(np.tile(np.arange(len(LABELS)), 10))
    monkeypatch.setattr(command, "draw", lambda *_: drawn)
    made = CliRunner().invoke(
        PROGRAM,
        ["weights", "--per-label", "10", "--seed", "3", "--workers", "1", "--out", str(tmp_path)],
    )
    assert made.exit_code == 0, made.output
    text = (tmp_path / "kinds.toml").read_text(encoding="utf-8")
    assert "--per-label 10 --seed 3" in text.splitlines()[1]
    assert f"from {10 * len(LABELS)} simulated spectra" in text
    kinds, tasks = read_kinds(tmp_path / "kinds.toml"), read_weights(tmp_path / "tasks.toml")
    assert kinds.labels == LABELS and kinds.features == tuple(FEATURES)
    assert np.isfinite(kinds.weights).all()
    assert set(tasks) == {task.id for task in bundled_tasks()}
    assert all(min(found.claims.values()) >= 0 for found in tasks.values())


def test_a_class_without_simulated_stars_is_told_before_any_is_drawn(monkeypatch, tmp_path):
    other = replace(bundled_tasks()[0], id="BE")
    monkeypatch.setattr(command, "bundled_tasks", lambda: (*bundled_tasks(), other))
    monkeypatch.setattr(command, "draw", None)
    with pytest.raises(WorkbenchError, match=r"no simulated stars of BE: .* CV, CS"):
        weights(out=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_command_judges_simulated_candidates(monkeypatch):
    two = tuple(task for task in bundled_tasks() if task.id in {"CV", "MG"})
    monkeypatch.setattr(command, "bundled_tasks", lambda: two)
    asked = "measured --count 30 --survey LAMOST --workers 1 --json"
    said = CliRunner().invoke(PROGRAM, asked.split())
    assert said.exit_code == 0, said.output
    found = json.loads(said.stdout)["LAMOST"]
    assert set(found) == {"CV", "MG"}
    assert found["CV"]["all"]["count"] == 30
    assert found["CV"]["clear"]["count"] < 30


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


@cache
def judged_alone(task_id):
    return candidates(task_id, "SDSS", 60, seed=4242)


@pytest.mark.parametrize(("task_id", "least"), [("CV", 0.8), ("MG", 0.85), ("WD", 0.7)])
def test_simulated_candidates_are_judged_well(task_id, least):
    rows = judged_alone(task_id)
    assert len(rows) == 60 and sum(row.label == task_id for row in rows) == 10
    found = threshold_scores(rows, task_id)
    assert found.f1 >= least, [row for row in rows if (row.label == task_id) != (row.p_yes > 0.5)]
    assert found.brier < 0.1


@pytest.mark.usefixtures("forked_workers")
def test_candidates_do_not_depend_on_the_number_of_workers():
    assert candidates("MG", "SDSS", 60, seed=4242, workers=2) == judged_alone("MG")


# What the weights are made from.
@pytest.mark.usefixtures("forked_workers")
def test_draws_are_the_same_for_any_number_of_workers(monkeypatch, one_of_each):
    one, two = one_of_each, draw(1, seed=3, workers=2)
    for name, column in vars(one).items():
        assert len(column) == len(LABELS)
        np.testing.assert_array_equal(column, vars(two)[name])
    assert one.labels.tolist() == list(LABELS)
    assert one.values.shape == one.errors.shape == (len(LABELS), len(FEATURES))
    assert one.evidence.shape[1] == sum(len(task.evidence) for task in bundled_tasks())
    assert np.isfinite(one.evidence).all()
    monkeypatch.setattr(draws, "LABELS", LABELS[:3])
    again, other = draw(1, seed=3).values, draw(1, seed=6).values
    np.testing.assert_array_equal(again, one.values[:3])
    assert not np.array_equal(other, one.values[:3], equal_nan=True)


def test_spectra_come_as_files_would_bring_them(rng):
    spectra = [one_observed("CV", "LAMOST", rng)[0] for _ in range(30)]
    assert any(spectrum.z is None for spectrum in spectra)
    assert any(spectrum.z is not None for spectrum in spectra)
    assert all(spectrum.simulated for spectrum in spectra)
    assert all((spectrum.ivar is None) or (spectrum.ivar >= 0).all() for spectrum in spectra)


def test_rare_subtypes_are_drawn_more_often_than_they_are(rng):
    subtypes = [one_source("CV", rng).subtype for _ in range(120)]
    rare = np.mean([subtype in ("outburst", "AM CVn", "polar low") for subtype in subtypes])
    assert rare > 0.18  # 14 % in nature, 43 % where all are drawn alike


# Weights that were written are read back by the inspector.
SHORT_LABELS = ("CV", "QSO")


def test_kinds_come_back_to_the_digits_written(tmp_path: Path, rng: np.random.Generator):
    features, knots = tuple(FEATURES), 4
    kinds = Kinds(
        SHORT_LABELS,
        features,
        np.sort(rng.normal(size=(len(features), knots)), axis=1),
        rng.uniform(0.1, 2.0, (len(features), knots)),
        rng.normal(size=(len(features) * knots, len(SHORT_LABELS))),
        np.array([0.25, -0.25]),
    )
    path = tmp_path / "new" / "kinds.toml"
    write_kinds(path, kinds, ["Made by: a test", "from nothing"])
    assert path.read_text().splitlines()[1:3] == ["# Made by: a test", "# from nothing"]
    found = read_kinds(path)
    assert (found.labels, found.features) == (SHORT_LABELS, features)
    np.testing.assert_allclose(found.knots, kinds.knots, rtol=1e-3)
    np.testing.assert_allclose(found.scales, kinds.scales, rtol=1e-3)
    np.testing.assert_allclose(found.weights, kinds.weights, rtol=1e-2)
    np.testing.assert_allclose(found.intercepts, kinds.intercepts)


def test_tasks_come_back(tmp_path: Path):
    claims = MappingProxyType({"one": 0.5, "two": 1.25})
    weights = TaskWeights(intercept=-1.5, kind=0.8, claims=claims)
    write_tasks(tmp_path / "tasks.toml", {"CV": weights}, ["Made by: a test"])
    assert read_weights(tmp_path / "tasks.toml") == {"CV": weights}
