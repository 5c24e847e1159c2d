"""Reliability curve, calibration error and ranking scores of p(YES)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.confidence.judged import ConfidenceError, JudgedScores
from agent.confidence.scores import wilson
from agent.spectra.spectrum import FloatArray


@dataclass(frozen=True)
class Bin:
    """Judged candidates with p(YES) from `left` to `right`; never empty.

    `share` is the fraction of real ones, `low` and `high` its 95 % Wilson interval.
    """

    left: float
    right: float
    n: int
    positives: int
    mean_p: float
    share: float
    low: float
    high: float


def reliability_curve(judged: JudgedScores, bins: int = 10) -> tuple[Bin, ...]:
    """Bin candidates into `bins` equal widths of p(YES); empty bins are left out."""
    _require_candidates(judged)
    edges = np.linspace(0.0, 1.0, bins + 1)
    return tuple(_bins(judged, edges, np.searchsorted(edges[1:-1], judged.p)))


def expected_calibration_error(curve: Sequence[Bin]) -> float:
    """Mean of |mean p - share| over candidates; it is biased upwards for sparsely filled bins."""
    total = sum(one.n for one in curve)
    return sum(one.n * abs(one.mean_p - one.share) for one in curve) / total


def brier_score(judged: JudgedScores) -> float:
    """Mean squared error of p(YES); a constant 0.5 scores 0.25."""
    _require_candidates(judged)
    return float(np.mean((judged.p - judged.label) ** 2))


def roc_auc(judged: JudgedScores) -> float:
    """Area under the ROC curve; ties count half.

    It does not depend on the class ratio, so prefer `average_precision` for rare objects.
    """
    hits, n = _falling_counts(judged)
    other = n - hits
    area = np.trapezoid(np.append(0, hits), np.append(0, other))
    return float(area / (hits[-1] * other[-1]))


def average_precision(judged: JudgedScores) -> float:
    """Mean precision at the rank of each real candidate, by falling p(YES)."""
    hits, n = _falling_counts(judged)
    gained = np.diff(np.append(0, hits))
    return float(gained @ (hits / n) / hits[-1])


def _bins(judged: JudgedScores, edges: FloatArray, bin_index: NDArray[np.intp]) -> Iterator[Bin]:
    order = np.argsort(bin_index, kind="stable")
    numbers, starts = np.unique(bin_index[order], return_index=True)
    for number, members in zip(numbers, np.split(order, starts[1:]), strict=True):
        p = judged.p[members]
        hits = int(np.count_nonzero(judged.label[members]))
        left, right = edges[number : number + 2].tolist()
        low, high = wilson(hits, p.size)
        yield Bin(left, right, p.size, hits, float(p.mean()), hits / p.size, low, high)


def _falling_counts(judged: JudgedScores) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    _require_candidates(judged)
    if judged.positives == 0 or judged.negatives == 0:
        raise ConfidenceError("a ranking score needs judged candidates of both classes")
    _, hits, n = judged.falling_counts()
    return hits, n


def _require_candidates(judged: JudgedScores) -> None:
    if not len(judged):
        raise ConfidenceError("there are no judged candidates yet")
