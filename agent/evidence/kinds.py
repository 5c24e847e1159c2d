"""Classifies the whole spectrum by kind of object, with an additive model of many features.

Each feature enters through a few smooth, bounded steps, so none dominates an unusual spectrum.
A feature that is not measured contributes 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np

from agent.checked_toml import TomlTable, read_toml
from agent.errors import ResourceError
from agent.evidence.feature_numbers import feature_numbers
from agent.evidence.features import FEATURES
from agent.evidence.measurements import SpectrumMeasurements
from agent.spectra.spectrum import FloatArray

MAX_BYTES = 512 * 1024
MAX_KINDS = 64
MAX_KNOTS = 12


@dataclass(frozen=True, eq=False)
class Kinds:
    """The fitted model; `weights` is (features * steps, labels)."""

    labels: tuple[str, ...]
    features: tuple[str, ...]
    knots: FloatArray  # (features, steps): the centre of each step.
    scales: FloatArray  # (features, steps): half the width of each step.
    weights: FloatArray
    intercepts: FloatArray

    def terms(self, values: FloatArray, errors: FloatArray) -> FloatArray:
        """(spectra, features) values as (spectra, features * steps) terms; 0 if not measured."""
        return steps(values, errors, self.knots, self.scales)

    def scores(self, terms: FloatArray) -> FloatArray:
        """(spectra, labels) scores in nats; their softmax is the probability of each kind."""
        return np.asarray(self.intercepts + terms @ self.weights)

    def judge(self, numbers: SpectrumMeasurements) -> KindJudgement:
        values, errors = feature_row(numbers, self.features)
        terms = self.terms(values[None, :], errors[None, :])[0]
        parts = terms[:, None] * self.weights
        by_feature = parts.reshape(len(self.features), -1, len(self.labels)).sum(axis=1)
        return KindJudgement(
            labels=self.labels, features=self.features, values=values, errors=errors,
            scores=self.intercepts + by_feature.sum(axis=0), parts=by_feature,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class KindJudgement:
    """Scores of all kinds in nats; `parts` is each feature's contribution, (features, labels)."""

    labels: tuple[str, ...]
    features: tuple[str, ...]
    values: FloatArray
    errors: FloatArray
    scores: FloatArray
    parts: FloatArray

    @property
    def probabilities(self) -> Mapping[str, float]:
        return dict(zip(self.labels, softmax(self.scores).tolist(), strict=True))

    def log_odds(self, label: str) -> float:
        """Log-odds of this kind against all others together, in nats."""
        index = self.labels.index(label)
        others = np.delete(self.scores, index)
        highest = float(others.max())
        return float(self.scores[index]) - highest - math.log(float(np.exp(others - highest).sum()))

    def ranked(self) -> tuple[tuple[str, float], ...]:
        """Labels and probabilities, most likely first."""
        pairs = self.probabilities.items()
        return tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))

    def telling(self, label: str, other: str) -> tuple[tuple[str, float], ...]:
        """Features with their nats for `label` over `other`, strongest first."""
        first, second = self.labels.index(label), self.labels.index(other)
        nats = (self.parts[:, first] - self.parts[:, second]).tolist()
        pairs = [pair for pair in zip(self.features, nats, strict=True) if pair[1] != 0.0]
        return tuple(sorted(pairs, key=lambda pair: (-abs(pair[1]), pair[0])))

    def value(self, feature: str) -> float:
        return float(self.values[self.features.index(feature)])

    def error(self, feature: str) -> float:
        return float(self.errors[self.features.index(feature)])


def feature_row(
    numbers: SpectrumMeasurements, features: tuple[str, ...], *, profiles: bool = True
) -> tuple[FloatArray, FloatArray]:
    """Values and errors of the features, NaN if not measured."""
    found = feature_numbers(numbers, profiles=profiles)
    values, errors = np.array([found[feature] for feature in features]).T
    return values, errors


def steps(
    values: FloatArray, errors: FloatArray, knots: FloatArray, scales: FloatArray
) -> FloatArray:
    """tanh of the distance to each knot, softened by the error; 0 if not measured."""
    known = np.isfinite(values)
    value = np.where(known, values, 0.0)[:, :, None]
    error = np.where(known & np.isfinite(errors), errors, 0.0)[:, :, None]
    width = np.hypot(scales[None], error)
    heights = np.tanh((value - knots[None]) / width) * (scales[None] / width)
    heights *= known[:, :, None]
    return np.asarray(heights.reshape(values.shape[0], -1))


def softmax(scores: FloatArray) -> FloatArray:
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


@cache
def builtin_kinds() -> Kinds:
    with as_file(files("resources") / "weights" / "kinds.toml") as path:
        return read_kinds(path)


def read_kinds(path: Path) -> Kinds:
    """Read a model; a ResourceError names the faulty key."""
    file = read_toml(path, MAX_BYTES)
    labels = file.texts("labels", longest=16, at_most=MAX_KINDS, at_least=2)
    intercepts = file.numbers("intercepts", low=-100, high=100, at_most=len(labels))
    tables = file.tables("gates", at_least=1, at_most=4 * len(FEATURES) + 4)
    file.close()
    rows = [_feature(table, len(labels)) for table in tables]
    n_knots = {len(row[1]) for row in rows}
    if len(intercepts) != len(labels) or len(n_knots) != 1:
        raise ResourceError(f"{path}: intercepts or knots differ in number")
    return Kinds(
        labels=labels,
        features=tuple(row[0] for row in rows),
        knots=np.array([row[1] for row in rows]),
        scales=np.array([row[2] for row in rows]),
        weights=np.concatenate([np.reshape(row[3], (-1, len(labels))) for row in rows]),
        intercepts=np.array(intercepts),
    )


def _feature(
    table: TomlTable, n_labels: int
) -> tuple[str, tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    name = table.choice("name", FEATURES)
    knots = table.numbers("knots", low=-1e7, high=1e7, at_most=MAX_KNOTS)
    scales = table.numbers("scales", low=1e-9, high=1e7, at_most=MAX_KNOTS)
    at_most = MAX_KNOTS * n_labels
    weights = table.numbers("weights", low=-100, high=100, at_most=at_most)
    table.close()
    if len(scales) != len(knots) or len(weights) != len(knots) * n_labels:
        expected = f"expected {len(knots)} knots times {n_labels} labels, found {len(weights)}"
        raise table.fault("weights", expected)
    return name, knots, scales, weights
