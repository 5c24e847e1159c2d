"""How far p(YES) can be believed: does 0.7 mean seventy in a hundred?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from agent.confidence.intervals import wilson
from agent.confidence.judged import ConfidenceError, JudgedScores

Binning = Literal["width", "mass"]
MAX_BINS = 1000


@dataclass(frozen=True)
class Bin:
    """Judged candidates of similar p(YES), at least one. Calibrated: `share` is `mean_p`, and the
    95 % interval `low` to `high` holds it in nineteen bins of twenty."""

    left: float
    right: float
    """The bin's edges in p(YES)."""
    n: int
    positives: int
    mean_p: float
    share: float
    """Of real ones among them."""
    low: float
    high: float
    within_variance: float
    within_covariance: float
    """Of p, and of p with the labels, inside the bin."""


@dataclass(frozen=True)
class BrierParts:
    """Brier score = reliability - resolution + uncertainty + within (Murphy 1973; Stephenson et
    al. 2008 for the last, which is what binning hides)."""

    reliability: float
    """Mean square distance of what was said from what was found: 0 is calibrated."""
    resolution: float
    """How far apart the bins' shares lie: high is sharp."""
    uncertainty: float
    """Of the list itself, 0.25 where half are real: no inspector changes it."""
    within: float


def reliability_curve(
    judged: JudgedScores, bins: int = 10, binning: Binning = "width"
) -> tuple[Bin, ...]:
    """Bins of equal width, or of about equal numbers ("mass"), rising; empty ones are left out."""
    _must_be_plain(judged)
    if not 1 <= bins <= MAX_BINS:
        raise ConfidenceError(f"{bins} bins are not usable (1 to {MAX_BINS})")
    edges = np.linspace(0.0, 1.0, bins + 1)
    if binning == "mass":
        edges = np.quantile(judged.p, edges)
    return tuple(_bins(judged, edges, np.searchsorted(edges[1:-1], judged.p)))


def expected_calibration_error(curve: Sequence[Bin]) -> float:
    """Mean distance of p(YES) from the share found, over the bins of a curve: 0.05 means that
    probabilities are off by five in a hundred. It grows with fewer candidates a bin."""
    total = sum(one.n for one in curve)
    return sum(one.n * abs(one.mean_p - one.share) for one in curve) / total


def brier_score(judged: JudgedScores) -> float:
    """Mean square error of p(YES): 0 is perfect, saying 0.5 to all gives 0.25."""
    _must_be_plain(judged)
    return float(np.mean((judged.p - judged.label) ** 2))


def brier_parts(curve: Sequence[Bin]) -> BrierParts:
    n = np.array([one.n for one in curve], dtype=np.float64)
    mean_p = np.array([one.mean_p for one in curve])
    share = np.array([one.share for one in curve])
    hidden = np.array([one.within_variance - 2.0 * one.within_covariance for one in curve])
    part = n / n.sum()
    base = float(part @ share)
    return BrierParts(
        reliability=float(part @ (mean_p - share) ** 2),
        resolution=float(part @ (share - base) ** 2),
        uncertainty=base * (1.0 - base),
        within=float(part @ hidden),
    )


def log_loss(judged: JudgedScores) -> float:
    """Mean surprise in nats: one sure mistake costs more than the Brier score shows."""
    _must_be_plain(judged)
    tiny = float(np.finfo(np.float64).eps)
    p = np.clip(judged.p, tiny, 1.0 - tiny)
    return float(-np.mean(np.where(judged.label, np.log(p), np.log1p(-p))))


def roc_auc(judged: JudgedScores) -> float:
    """The chance that a real one has a higher p(YES) than another; ties count half. It does not
    change with the odds of the field, so at one in 500 it flatters: see `average_precision`."""
    hits, n = _falling_counts(judged)
    other = n - hits
    area = np.trapezoid(np.append(0, hits), np.append(0, other))
    return float(area / (hits[-1] * other[-1]))


def average_precision(judged: JudgedScores) -> float:
    """Mean precision over the real ones as a list is worked from the top down."""
    hits, n = _falling_counts(judged)
    gained = np.diff(np.append(0, hits))
    return float(gained @ (hits / n) / hits[-1])


def _bins(
    judged: JudgedScores, edges: NDArray[np.float64], where: NDArray[np.intp]
) -> Iterator[Bin]:
    order = np.argsort(where, kind="stable")
    numbers, starts = np.unique(where[order], return_index=True)
    for number, members in zip(numbers, np.split(order, starts[1:]), strict=True):
        p, label = judged.p[members], judged.label[members].astype(np.float64)
        hits = int(np.count_nonzero(label))
        mean_p, share = float(p.mean()), hits / p.size
        low, high = wilson(hits, p.size)
        yield Bin(
            left=float(edges[number]),
            right=float(edges[number + 1]),
            n=int(p.size),
            positives=hits,
            mean_p=mean_p,
            share=share,
            low=low,
            high=high,
            within_variance=float(np.mean((p - mean_p) ** 2)),
            within_covariance=float(np.mean((p - mean_p) * (label - share))),
        )


def _falling_counts(judged: JudgedScores) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Real ones and all at each p(YES) or more, from the top down."""
    _must_be_plain(judged)
    if judged.positives == 0 or judged.negatives == 0:
        raise ConfidenceError("a ranking is measured only where both classes are among the judged")
    order = np.argsort(-judged.p)
    last_of_its_p = np.append(np.flatnonzero(np.diff(judged.p[order])), len(judged) - 1)
    return np.cumsum(judged.label[order])[last_of_its_p], last_of_its_p + 1


def _must_be_plain(judged: JudgedScores) -> None:
    if judged.weight is not None:
        raise ConfidenceError("this figure is for judged candidates without weights")
    if not len(judged):
        raise ConfidenceError("no judged candidates: there is nothing to measure")
