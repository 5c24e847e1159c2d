"""Judging real spectra with what simulation alone teaches."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

from agent.spectra.measure.features import feature_names
from tests.train.simulate.helpers import truth_rows
from train.cli import app
from train.simulate.realism.transfer import NOISE_FEATURES, judge, score, simulated_features
from train.simulate.sky import LABELS


def test_score_counts_hits_false_alarms_and_misses():
    truth = ["CV", "CV", "CV", "QSO", "MG", "MG"]
    judged = ["CV", "QSO", "QSO", "CV", "MG", "SS"]
    by_task = {one.task: one for one in score(truth, judged)}
    assert set(by_task) == {"CV", "MG"}
    cv = by_task["CV"]
    assert (cv.hits, cv.false_alarms, cv.misses) == (1, 1, 2)
    assert cv.f1 == pytest.approx(2 / 5)
    assert cv.taken_for == (("QSO", 2),)
    assert cv.taken_from == (("QSO", 1),)
    assert by_task["MG"].f1 == pytest.approx(2 / 3)


def test_simulated_features_are_the_same_for_any_number_of_workers():
    one, labels = simulated_features(1, seed=5, workers=1)
    two, _ = simulated_features(1, seed=5, workers=2)
    assert one.shape == (len(LABELS), len(feature_names()))
    assert labels.tolist() == list(LABELS)
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, simulated_features(1, seed=6)[0], equal_nan=True)


def test_judge_learns_from_features_and_not_from_noise_statistics(rng):
    names = feature_names()
    telling, noise = names.index("TiO5"), names.index("snr_6500")
    assert "snr_6500" in NOISE_FEATURES
    labels = np.array(["MG", "K"] * 100)
    rows = rng.normal(size=(200, len(names)))
    rows[:, telling] += np.where(labels == "MG", -6.0, 6.0)
    real = rng.normal(size=(40, len(names)))
    real[:20, telling] -= 6.0
    real[20:, telling] += 6.0
    said = judge(rows, labels, real, seed=1)
    assert said.tolist() == ["MG"] * 20 + ["K"] * 20
    rows[:, telling], rows[:, noise] = 0.0, np.where(labels == "MG", -6.0, 6.0)
    real[:, noise] = np.where(np.arange(40) < 20, -6.0, 6.0)
    blind = judge(rows, labels, real, seed=1)
    assert 0.1 < (blind[:20] == "MG").mean() < 0.9


def test_the_command_scores_a_folder_of_labelled_spectra(tmp_path):
    folder = tmp_path / "made"
    words = ["simulate", str(folder), "--labels", "CV,MG", "--count", "8"]
    assert CliRunner().invoke(app, words, catch_exceptions=False).exit_code == 0
    truth = truth_rows(folder)
    lines = [f"{line['file']},{line['label']}" for line in truth]
    table = "\n".join(["file,label", *lines, "missing.fits,CV"])
    (folder / "MANIFEST.csv").write_text(table + "\n", encoding="utf-8")
    words = ["transfer", str(folder), "--per-label", "10", "--json", "--workers", "1"]
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0
    said = json.loads(result.stdout)
    of_class = {one["task"]: one["hits"] + one["misses"] for one in said["scores"]}
    assert of_class == Counter(line["label"] for line in truth)
    assert list(said["unread"]) == ["missing.fits"]
