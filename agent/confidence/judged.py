"""Inspector scores with human labels, and the log-odds helpers of this package."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agent.errors import WorkbenchError
from agent.spectra.spectrum import BoolArray, FloatArray

# Keeps log odds finite: probabilities are clipped to this distance from 0 and 1.
MIN_PROBABILITY = 1e-12


class ConfidenceError(WorkbenchError):
    """The judged candidates do not allow this statistic."""


@dataclass(frozen=True, eq=False)
class JudgedScores:
    """The inspector's p(YES) (`p`) and the human verdict (`label`, True for YES) per candidate.

    The arrays are copied and made read-only.
    """

    p: FloatArray
    label: BoolArray

    def __post_init__(self) -> None:
        p, label = checked_probabilities(self.p), _checked_labels(self.label)
        if p.ndim != 1 or p.shape != label.shape:
            raise ConfidenceError("each candidate needs exactly one p(YES) and one label")
        for name, array in (("p", p), ("label", label)):
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
    def prior(self) -> float:
        """The fraction of judged candidates that are real."""
        return float(np.mean(self.label))

    def where(self, selection: BoolArray | NDArray[np.intp]) -> JudgedScores:
        """Select or reorder candidates by mask or index."""
        return JudgedScores(self.p[selection], self.label[selection])

    def in_order(self) -> JudgedScores:
        """Sort by p and label, so that results do not depend on the input order."""
        return self.where(np.lexsort((self.label, self.p)))

    def falling_counts(self) -> tuple[FloatArray, NDArray[np.int64], NDArray[np.int64]]:
        """Distinct p, highest first, with the number of real and of all candidates from it on."""
        order = np.argsort(-self.p)
        p, hits = self.p[order], np.cumsum(self.label[order], dtype=np.int64)
        n = np.arange(1, p.size + 1, dtype=np.int64)
        last_of_its_p = np.flatnonzero(np.append(np.diff(p), -1.0)[: p.size])
        return p[last_of_its_p], hits[last_of_its_p], n[last_of_its_p]

    def sha256(self) -> str:
        """Hash of the sorted values; identifies the data a calibration was fitted on."""
        ordered = self.in_order()
        digest = hashlib.sha256(b"judged 1")
        digest.update(ordered.p.astype("<f8").tobytes())
        digest.update(ordered.label.astype("<u1").tobytes())
        return digest.hexdigest()


def checked_probabilities(values: ArrayLike) -> FloatArray:
    """Copy values as float64; raises ConfidenceError unless all are from 0 to 1."""
    p = _numbers(values, "p(YES)")
    if not np.all((p >= 0.0) & (p <= 1.0)):  # also catches NaN
        raise ConfidenceError("every p(YES) must be a number from 0 to 1")
    return p + 0.0  # turns -0.0 into 0.0: equal numbers must have equal hashes


def logit(p: ArrayLike) -> FloatArray:
    """Log odds, clipped to stay finite at 0 and 1."""
    bounded = np.clip(np.asarray(p, dtype=np.float64), MIN_PROBABILITY, 1.0 - MIN_PROBABILITY)
    return np.log(bounded) - np.log1p(-bounded)


def sigmoid(log_odds: ArrayLike) -> FloatArray:
    """Inverse of `logit`, without overflow."""
    x = np.asarray(log_odds, dtype=np.float64)
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, small) / (1.0 + small)


def _checked_labels(values: ArrayLike) -> BoolArray:
    labels = np.array(values)
    if labels.dtype == np.bool_:
        return labels
    numbers = _numbers(labels, "labels")
    if not np.all((numbers == 0.0) | (numbers == 1.0)):
        raise ConfidenceError("every label must be true or false (1 or 0)")
    return numbers == 1.0


def _numbers(values: ArrayLike, name: str) -> FloatArray:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ConfidenceError(f"{name} must be a list of numbers") from error
