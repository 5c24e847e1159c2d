"""Weights that were written are read back by the inspector."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

import numpy as np

from agent.evidence.features import FEATURES
from agent.evidence.kinds import Kinds, read_kinds
from agent.evidence.weights import TaskWeights, read_weights
from train.weights.command import write_kinds, write_tasks

LABELS = ("CV", "QSO")


def test_kinds_come_back_to_the_digits_written(tmp_path: Path, rng: np.random.Generator):
    features, knots = tuple(FEATURES), 4
    kinds = Kinds(
        LABELS,
        features,
        np.sort(rng.normal(size=(len(features), knots)), axis=1),
        rng.uniform(0.1, 2.0, (len(features), knots)),
        rng.normal(size=(len(features) * knots, len(LABELS))),
        np.array([0.25, -0.25]),
    )
    path = tmp_path / "new" / "kinds.toml"
    write_kinds(path, kinds, ["Made by: a test", "from nothing"])
    assert path.read_text().splitlines()[1:3] == ["# Made by: a test", "# from nothing"]
    found = read_kinds(path)
    assert (found.labels, found.features) == (LABELS, features)
    np.testing.assert_allclose(found.knots, kinds.knots, rtol=1e-3)
    np.testing.assert_allclose(found.scales, kinds.scales, rtol=1e-3)
    np.testing.assert_allclose(found.weights, kinds.weights, rtol=1e-2)
    np.testing.assert_allclose(found.intercepts, kinds.intercepts)


def test_tasks_come_back(tmp_path: Path):
    claims = MappingProxyType({"one": 0.5, "two": 1.25})
    weights = TaskWeights(intercept=-1.5, kind=0.8, claims=claims, is_fitted=True)
    write_tasks(tmp_path / "tasks.toml", {"CV": weights}, ["Made by: a test"])
    assert read_weights(tmp_path / "tasks.toml") == {"CV": weights}
