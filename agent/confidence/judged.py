"""Candidates whose true class is known: what every figure about confidence is computed from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agent.errors import WorkbenchError

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

SURE = 1e-12
"""Nothing is nearer to 0 or 1 than that once it is turned into odds."""


class ConfidenceError(WorkbenchError):
    """A figure about confidence that these candidates cannot give."""


@dataclass(frozen=True, eq=False)
class JudgedScores:
    """What the inspector said (`p`, its p(YES)) and what a person found (`label`, True for YES).

    `weight` says how many candidates of the field each stands for, where the judged ones are no
    fair sample of it; None where they are. The arrays are copied and then read-only.
    """

    p: Floats
    label: Bools
    weight: Floats | None = None

    def __post_init__(self) -> None:
        p, label = chances(self.p), _labels(self.label)
        weight = None if self.weight is None else _weights(self.weight)
        sizes = {array.shape for array in (p, label, weight) if array is not None}
        if len(sizes) != 1 or p.ndim != 1:
            raise ConfidenceError("there must be one p(YES), one label and one weight a candidate")
        for name, array in (("p", p), ("label", label), ("weight", weight)):
            if array is not None:
                array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return int(self.p.size)

    @property
    def positives(self) -> int:
        return int(np.count_nonzero(self.label))

    @property
    def negatives(self) -> int:
        return len(self) - self.positives

    @property
    def weights(self) -> Floats:
        """Ones where no weights were given."""
        return np.ones(len(self)) if self.weight is None else self.weight

    @property
    def prior(self) -> float:
        """The share of true members among the judged (weighted): the odds a fit learns."""
        return float(np.average(self.label, weights=self.weight))

    def where(self, kept: NDArray[np.bool_] | NDArray[np.intp]) -> JudgedScores:
        """Some of them, or all in another order."""
        weight = None if self.weight is None else self.weight[kept]
        return JudgedScores(self.p[kept], self.label[kept], weight)

    def in_order(self) -> JudgedScores:
        """Sorted, so that what is computed does not depend on the order of a list."""
        return self.where(np.lexsort((self.weights, self.label, self.p)))

    def sha256(self) -> str:
        """Of the numbers in sorted order: the proof of what something was fitted on."""
        ordered = self.in_order()
        digest = hashlib.sha256(b"judged 1")
        digest.update(ordered.p.astype("<f8").tobytes())
        digest.update(ordered.label.astype("<u1").tobytes())
        if ordered.weight is not None:
            digest.update(ordered.weight.astype("<f8").tobytes())
        return digest.hexdigest()


def chances(values: ArrayLike) -> Floats:
    """A copy as probabilities; refuses what is none."""
    p = _numbers(values, "p(YES)")
    if not np.all((p >= 0.0) & (p <= 1.0)):  # NaN is neither
        raise ConfidenceError("every p(YES) must be a number from 0 to 1")
    return p + 0.0  # turns -0.0 into 0.0: the same number must have the same hash


def prior_between(value: float, name: str = "a prior") -> float:
    """A share strictly between 0 and 1."""
    if not 0.0 < value < 1.0:
        raise ConfidenceError(f"{name} of {value} is not usable: it must lie between 0 and 1")
    return float(value)


def logit(p: ArrayLike) -> Floats:
    """Log odds, finite: p is kept off 0 and 1 by `SURE`."""
    bounded = np.clip(np.asarray(p, dtype=np.float64), SURE, 1.0 - SURE)
    return np.log(bounded) - np.log1p(-bounded)


def sigmoid(log_odds: ArrayLike) -> Floats:
    """The probability of log odds, without overflow."""
    x = np.asarray(log_odds, dtype=np.float64)
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, small) / (1.0 + small)


def bisect(is_left: Callable[[float], bool], low: float, high: float, steps: int = 60) -> float:
    """Where a yes/no question changes its answer: True below, False above."""
    for _ in range(steps):
        middle = 0.5 * (low + high)
        if is_left(middle):
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _labels(values: ArrayLike) -> Bools:
    labels = np.array(values)
    if labels.dtype == np.bool_:
        return labels
    numbers = _numbers(labels, "labels")
    if not np.all((numbers == 0.0) | (numbers == 1.0)):
        raise ConfidenceError("every label must be true or false (1 or 0)")
    return numbers == 1.0


def _weights(values: ArrayLike) -> Floats:
    weights = _numbers(values, "weights")
    if not np.all(np.isfinite(weights) & (weights > 0.0) & (weights <= 1e9)):
        raise ConfidenceError("every weight must be a number above 0 and at most a billion")
    return weights


def _numbers(values: ArrayLike, name: str) -> Floats:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ConfidenceError(f"{name}: not a list of numbers") from error
