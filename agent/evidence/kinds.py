"""What kind of object the whole spectrum is: bounded terms of many measurements, added up.

Each measurement enters through a few smooth steps and so can neither dominate nor run away where
a spectrum differs from everything seen before; what cannot be measured says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agent.checked_toml import TomlTable, read_toml
from agent.errors import ResourceError
from agent.evidence.gate_numbers import gate_numbers
from agent.evidence.gates import GATES
from agent.evidence.numbers import SpectrumMeasurements

FloatArray = NDArray[np.float64]

MAX_BYTES = 512 * 1024
MAX_KINDS = 64
KNOTS_AT_MOST = 12


@dataclass(frozen=True, eq=False)
class Kinds:
    """The fitted model. Rows of `weights` are the steps, gate by gate; columns are the labels."""

    labels: tuple[str, ...]
    gates: tuple[str, ...]
    knots: FloatArray
    """(gates, steps): where each step is half way up."""
    scales: FloatArray
    """(gates, steps): half the width of each."""
    weights: FloatArray
    intercepts: FloatArray

    def terms(self, values: FloatArray, errors: FloatArray) -> FloatArray:
        """Steps of (spectra, gates) values as (spectra, gates * steps); 0 where not measured."""
        return steps(values, errors, self.knots, self.scales)

    def scores(self, terms: FloatArray) -> FloatArray:
        """(spectra, labels) of nats; their softmax is the probability among these kinds."""
        return np.asarray(self.intercepts + terms @ self.weights)

    def judge(self, numbers: SpectrumMeasurements) -> KindJudgement:
        """What the measurements of one spectrum say."""
        values, errors = gate_row(numbers, self.gates)
        terms = self.terms(values[None, :], errors[None, :])[0]
        parts = terms[:, None] * self.weights
        by_gate = parts.reshape(len(self.gates), -1, len(self.labels)).sum(axis=1)
        return KindJudgement(
            labels=self.labels,
            gates=self.gates,
            values=values,
            errors=errors,
            scores=self.intercepts + by_gate.sum(axis=0),
            parts=by_gate,
        )


@dataclass(frozen=True, eq=False)
class KindJudgement:
    """Scores in nats, and the part that each gate has in them, (gates, labels)."""

    labels: tuple[str, ...]
    gates: tuple[str, ...]
    values: FloatArray
    errors: FloatArray
    scores: FloatArray
    parts: FloatArray

    @property
    def probabilities(self) -> Mapping[str, float]:
        return dict(zip(self.labels, softmax(self.scores).tolist(), strict=True))

    def log_odds(self, label: str) -> float:
        """Nats of this kind against all others together."""
        place = self.labels.index(label)
        others = np.delete(self.scores, place)
        highest = float(others.max())
        return float(self.scores[place]) - highest - math.log(float(np.exp(others - highest).sum()))

    def ranked(self) -> tuple[tuple[str, float], ...]:
        """Labels and probabilities, likeliest first."""
        pairs = self.probabilities.items()
        return tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))

    def telling(self, label: str, other: str) -> tuple[tuple[str, float], ...]:
        """Gates and the nats they give for `label` over `other`, heaviest first."""
        first, second = self.labels.index(label), self.labels.index(other)
        nats = (self.parts[:, first] - self.parts[:, second]).tolist()
        pairs = [pair for pair in zip(self.gates, nats, strict=True) if pair[1] != 0.0]
        return tuple(sorted(pairs, key=lambda pair: (-abs(pair[1]), pair[0])))

    def value(self, gate: str) -> float:
        return float(self.values[self.gates.index(gate)])


def gate_row(
    numbers: SpectrumMeasurements, gates: tuple[str, ...]
) -> tuple[FloatArray, FloatArray]:
    """Values and errors of the gates; NaN where not measured."""
    found = gate_numbers(numbers)
    pairs = [found[gate] for gate in gates]
    return np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])


def steps(
    values: FloatArray, errors: FloatArray, knots: FloatArray, scales: FloatArray
) -> FloatArray:
    """tanh of the distance to each knot, softened by the error; 0 where there is no value."""
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
    """The model of a file; ResourceError names what is wrong with it."""
    file = read_toml(path, MAX_BYTES)
    labels = file.texts("labels", longest=16, at_most=MAX_KINDS, at_least=2)
    intercepts = file.numbers("intercepts", low=-100, high=100, at_most=len(labels))
    tables = file.tables("gates", at_least=1, at_most=4 * len(GATES) + 4)
    file.close()
    rows = [_gate(table, len(labels)) for table in tables]
    n_knots = {len(row[1]) for row in rows}
    if len(intercepts) != len(labels) or len(n_knots) != 1:
        raise ResourceError(f"{path}: intercepts or knots differ in number")
    return Kinds(
        labels=labels,
        gates=tuple(row[0] for row in rows),
        knots=np.array([row[1] for row in rows]),
        scales=np.array([row[2] for row in rows]),
        weights=np.concatenate([np.reshape(row[3], (-1, len(labels))) for row in rows]),
        intercepts=np.array(intercepts),
    )


def _gate(
    table: TomlTable, n_labels: int
) -> tuple[str, tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    name = table.choice("name", GATES)
    knots = table.numbers("knots", low=-1e7, high=1e7, at_most=KNOTS_AT_MOST)
    scales = table.numbers("scales", low=1e-9, high=1e7, at_most=KNOTS_AT_MOST)
    at_most = KNOTS_AT_MOST * n_labels
    weights = table.numbers("weights", low=-100, high=100, at_most=at_most)
    table.close()
    if len(scales) != len(knots) or len(weights) != len(knots) * n_labels:
        expected = f"expected {len(knots)} knots times {n_labels} labels, found {len(weights)}"
        raise table.fault("weights", expected)
    return name, knots, scales, weights
