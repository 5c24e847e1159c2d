"""From the odds a model learnt to the odds of the field.

A p(YES) learnt where one candidate in two is real is far too high where one in 500 is. Both steps
assume that the classes themselves look the same in both places, and only their shares differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from agent.confidence.intervals import level
from agent.confidence.judged import ConfidenceError, Floats, bisect, chances, prior_between


@dataclass(frozen=True)
class Prior:
    """The share of real ones among `n` candidates, and how far it may be off by chance alone; what
    the calibration itself is off comes on top."""

    share: float
    low: float
    high: float
    n: int


@overload
def shift_prior(p: float, from_prior: float, to_prior: float) -> float: ...
@overload
def shift_prior(p: ArrayLike, from_prior: float, to_prior: float) -> Floats: ...
def shift_prior(p: ArrayLike, from_prior: float, to_prior: float) -> float | Floats:
    """p(YES), calibrated where `from_prior` of all were real, where `to_prior` are.

    0.9 learnt at one in two is 0.018 at one in 500. Certainties stay certain.
    """
    raw = chances(p)
    before, after = prior_between(from_prior), prior_between(to_prior)
    yes = raw * (after / before)
    no = (1.0 - raw) * ((1.0 - after) / (1.0 - before))
    shifted = yes / (yes + no)
    return float(shifted) if np.ndim(shifted) == 0 else shifted


def estimate_prior(p: ArrayLike, from_prior: float, confidence: float = 0.95) -> Prior:
    """The share of real ones among candidates nobody judged, from their calibrated p(YES).

    The likeliest share, where the EM steps of Saerens, Latinne and Decaestecker (2002) come to
    rest. The likelihood has one maximum, so we halve an interval instead: EM crawls where real ones
    are rare. Limits are those of the likelihood ratio. Feed it p from a smooth calibration (Platt).
    """
    raw = np.atleast_1d(chances(p))
    if raw.size == 0:
        raise ConfidenceError("without candidates there is no share of real ones")
    before = prior_between(from_prior)
    yes, no = raw / before, (1.0 - raw) / (1.0 - before)
    if np.all(yes == no):
        return Prior(before, 0.0, 1.0, raw.size)
    share = bisect(partial(_still_rises, yes, no), 0.0, 1.0)
    best = _log_likelihood(share, yes, no)
    z = NormalDist().inv_cdf(0.5 + 0.5 * level(confidence))
    lowest = best - 0.5 * z * z

    def is_too_low(tried: float) -> bool:
        return _log_likelihood(tried, yes, no) < lowest

    low = bisect(is_too_low, 0.0, share) if is_too_low(0.0) else 0.0
    high = bisect(lambda tried: not is_too_low(tried), share, 1.0) if is_too_low(1.0) else 1.0
    return Prior(share, low, high, raw.size)


def _still_rises(yes: Floats, no: Floats, share: float) -> bool:
    """Whether the likelihood grows with the share; it does below its one maximum."""
    return bool(np.sum((yes - no) / (share * yes + (1.0 - share) * no)) > 0.0)


def _log_likelihood(share: float, yes: Floats, no: Floats) -> float:
    with np.errstate(divide="ignore"):  # a certain YES makes a share of 0 impossible: -inf
        return float(np.sum(np.log(share * yes + (1.0 - share) * no)))
