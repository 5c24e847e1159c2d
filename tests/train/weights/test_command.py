import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
import typer
from sklearn.ensemble import HistGradientBoostingClassifier
from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.evidence.assessment import TaskWeights, read_weights
from agent.evidence.features import FEATURES
from agent.evidence.kinds import Kinds, builtin_kinds, read_kinds, softmax
from agent.evidence.quick import Trees, read_quick_weights
from agent.tasks.catalogue import bundled_tasks
from train.simulate.campaign import CONTAMINANTS
from train.simulate.sky import LABELS
from train.weights import command, fit, quick
from train.weights.command import (
    JudgedCandidate,
    candidates,
    measured,
    threshold_scores,
    weights,
    write_kinds,
    write_tasks,
)
from train.weights.fit import (
    KNOT_QUANTILES,
    LEAST_CLAIM,
    LOST,
    SWAPPED,
    Draws,
    Prior,
    candidate_weights,
    draw,
    fit_kinds,
    fit_softmax,
    fit_task,
    kind_log_odds,
    knots_of,
    one_observed,
    one_source,
    spread_within,
    with_features_lost,
)

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
    monkeypatch.setattr(fit, "LABELS", LABELS[:3])
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


def test_softmax_finds_the_weights_a_sample_was_drawn_from(rng):
    terms = rng.normal(size=(6000, 3))
    weights = np.array([[2.0, -1.0, -1.0], [0.0, 1.0, -1.0], [0.0, 0.0, 0.0]])
    chances = softmax(terms @ weights + np.array([0.5, 0.0, -0.5]))
    places = (rng.random((6000, 1)) > chances.cumsum(axis=1)).sum(axis=1)
    found, intercepts = fit_softmax(terms, places, 3, ridge=0.1)
    centred = weights - weights.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(found - found.mean(axis=1, keepdims=True), centred, atol=0.15)
    np.testing.assert_allclose(intercepts, [0.5, 0.0, -0.5], atol=0.15)
    shrunk, _ = fit_softmax(terms, places, 3, ridge=1e5)
    assert np.abs(shrunk).max() < 0.1


def test_knots_follow_the_known_values_and_their_tails():
    values = np.column_stack([np.linspace(0, 100, 1001), np.full(1001, np.nan), np.ones(1001)])
    values[::2, 0] = np.nan
    knots, scales = knots_of(values)
    np.testing.assert_allclose(knots[0], 100 * np.array(KNOT_QUANTILES), atol=0.5)
    assert (scales > 0).all() and knots[1].tolist() == [0.0] * len(KNOT_QUANTILES)


def test_spoilt_copies_lose_whole_features_and_take_some_from_others(rng):
    terms = np.repeat(np.arange(1.0, 401.0)[:, None], 40, axis=1)
    copy = with_features_lost(terms, 20, rng).reshape(400, 20, 2)
    assert (copy[:, :, 0] == copy[:, :, 1]).all()
    lost = (copy[:, :, 0] == 0).mean()
    other = ((copy[:, :, 0] != 0) & (copy[:, :, 0] != terms[:, :20])).mean()
    assert 0.5 * LOST < lost < 1.5 * LOST and 0.5 * SWAPPED < other < 1.5 * SWAPPED


def test_the_spread_is_that_within_a_kind_not_between(rng):
    places = np.repeat([0, 1], 500)
    values = np.column_stack(
        [100.0 * places + rng.normal(size=1000), np.full(1000, np.nan), 3.0 * rng.normal(size=1000)]
    )
    assert spread_within(values, places) == pytest.approx([1.0, 0.0, 3.0], rel=0.15)


def drawn_claims(rng, rows=4000):
    truth = rng.random(rows) < 0.3
    good = np.where(truth, 1.5, -1.5) + rng.normal(size=rows)
    misleading = -good + 0.1 * rng.normal(size=rows)
    kind = np.where(truth, 2.0, -2.0) + 2.0 * rng.normal(size=rows)
    return np.column_stack([good, misleading, np.zeros(rows)]), kind, truth


def test_claims_never_count_the_wrong_way_and_idle_ones_keep_their_weight(rng):
    claims, kind, truth = drawn_claims(rng)
    intercept, kind_weight, weights = fit_task(claims, kind, truth, np.ones(truth.size), Prior())
    assert weights[0] > 1.0 and weights[1] == pytest.approx(LEAST_CLAIM)
    assert weights[2] == pytest.approx(Prior().claim, abs=1e-3)
    said = intercept + kind_weight * kind + claims @ weights > 0
    assert (said == truth).mean() > 0.9


def test_a_strong_prior_holds_the_weights(rng):
    claims, kind, truth = drawn_claims(rng)
    prior = Prior(claim=0.5, kind=0.6, ridge=1e7)
    _, kind_weight, weights = fit_task(claims, kind, truth, np.ones(truth.size), prior)
    assert kind_weight == pytest.approx(0.6, abs=0.01)
    np.testing.assert_allclose(weights, 0.5, atol=0.01)


def test_rare_candidates_move_the_intercept(rng):
    claims, kind, truth = drawn_claims(rng)
    rare = np.where(truth, 0.05, 1.0)
    often, _, _ = fit_task(claims, kind, truth, np.ones(truth.size), Prior())
    seldom, _, _ = fit_task(claims, kind, truth, rare, Prior())
    assert seldom < often - 1.0


def test_the_steps_of_known_features_are_kept(rng):
    values = rng.normal(size=(40, len(FEATURES)))
    labels = np.array(["A", "B"] * 20)
    drawn = values, 0.1 * np.ones_like(values), labels
    made = [fit_kinds(*drawn, 4.0, ("A", "B"), 1, kept) for kept in (None, builtin_kinds())]
    assert not np.allclose(made[0].knots, builtin_kinds().knots)
    np.testing.assert_array_equal(made[1].knots, builtin_kinds().knots)
    np.testing.assert_array_equal(made[1].scales, builtin_kinds().scales)


@pytest.mark.parametrize("task_id", ["CV", "B"])
def test_candidates_are_weighed_as_in_a_list_of_one_in_six(task_id):
    labels = np.repeat(np.array(LABELS), 10)
    counts = candidate_weights(labels, task_id)
    is_class = labels == task_id
    assert counts.mean() == pytest.approx(1.0)
    assert counts[~is_class].sum() / counts[is_class].sum() == pytest.approx(5.0)
    named = sorted(CONTAMINANTS[task_id].items(), key=lambda pair: pair[1])
    rarest, commonest = named[0][0], named[-1][0]
    assert counts[labels == commonest].sum() > counts[labels == rarest].sum()
    assert (counts > 0).all()


def test_log_odds_of_a_kind_are_against_all_others():
    scores = np.zeros((2, len(LABELS)))
    scores[1, LABELS.index("WD")] = 50.0
    odds = kind_log_odds(scores, "WD")
    assert odds[0] == pytest.approx(-np.log(len(LABELS) - 1)) and odds[1] == 12.0


def test_our_trees_say_what_the_library_says():
    rng = np.random.default_rng(3)
    numbers = rng.standard_normal((800, 6))
    numbers[rng.random(numbers.shape) < 0.1] = np.nan
    is_odd = np.nan_to_num(numbers[:, 0] * numbers[:, 1]) > 0.3
    arrays = quick.odd_trees(numbers, is_odd, 2)
    trees = Trees(*(arrays[f"odd_{name}"] for name in Trees._fields))
    model = HistGradientBoostingClassifier(
        max_iter=quick.N_TREES, learning_rate=0.06, l2_regularization=1.0, random_state=2
    ).fit(numbers, is_odd)
    ours = [trees.score(row) for row in numbers[:100]]
    np.testing.assert_allclose(ours, model.decision_function(numbers[:100]), atol=1e-3)


def test_a_small_fit_is_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(quick, "CHUNK", 1)
    monkeypatch.setattr(quick, "MORE", 1)
    monkeypatch.setattr(quick, "N_ORDINARY", 120)
    monkeypatch.setattr(quick, "N_COMPONENTS", 8)
    monkeypatch.setattr(quick, "N_REFERENCE", 60)
    monkeypatch.setattr(quick, "TEMPLATE_SOURCES", 2)
    monkeypatch.setattr(quick, "N_TREES", 5)
    monkeypatch.setattr(quick, "N_MEMBERS", 40)
    quick.quick_weights(per_label=2, seed=1, workers=1, out=tmp_path)
    weights = read_quick_weights(tmp_path / "quick.npz")
    spectrum, _ = one_observed("CV", "LAMOST", np.random.default_rng(1))
    look = weights.look(spectrum)
    assert look.p.sum() == np.float64(look.p.sum()) and np.isfinite(look.oddness)
    with np.load(tmp_path / "members.npz") as members:
        assert {name.partition("_")[0] for name in members} == {
            "CV", "CS", "SS", "MG", "WD", "O", "B", "A",
        }  # fmt: skip
