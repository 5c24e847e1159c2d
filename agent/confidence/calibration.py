"""Calibration: turns an inspector's p(YES) into the share of such candidates that are real.

Calibrated, "0.7" means: of a hundred candidates like this one, drawn as the judged ones were, about
seventy are true members. Elsewhere, say at one in 500, correct it with `prior_shift`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, get_args, overload

import numpy as np
from numpy.typing import ArrayLike

from agent.confidence.isotonic import fit_isotonic
from agent.confidence.judged import ConfidenceError, Floats, JudgedScores, chances, logit, sigmoid
from agent.confidence.platt import fit_platt, smoothed_targets

Method = Literal["identity", "platt", "isotonic"]
Choice = Literal["auto", "identity", "platt", "isotonic"]
METHODS: tuple[Method, ...] = get_args(Method)

CALIBRATION_VERSION = 1
MAX_KNOTS = 100_000
MAX_TEXT = 500
STEEPEST = 1e6
PLATT_NEEDS = (20, 5)
"""Candidates, and of each class: below that a line through the log odds is mostly noise."""
ISOTONIC_NEEDS = (1000, 100)
"""Likewise: with fewer the curve follows single candidates, and the line predicts better."""


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """A rule from p(YES) to calibrated p(YES), with what it rests on. It never turns the order of
    two candidates round. The texts are hashes and names, empty where not known."""

    method: Method
    slope: float = 1.0
    intercept: float = 0.0
    knots: tuple[tuple[float, float], ...] = ()
    """Of an isotonic rule: p(YES), calibrated p(YES)."""
    n: int = 0
    """Judged candidates it was fitted on, and how many of them were real."""
    positives: int = 0
    prior: float | None = None
    """The share of real ones it learnt (weighted): the `from_prior` of a shift."""
    data_sha256: str = ""
    model: str = ""
    model_sha256: str = ""
    task: str = ""
    note: str = ""
    """For the user: why nothing was fitted, or what to beware of."""
    version: int = CALIBRATION_VERSION

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ConfidenceError(f"there is no calibration named {str(self.method)[:40]!r}")
        if not 0.0 <= self.slope <= STEEPEST or not math.isfinite(self.intercept):
            raise ConfidenceError(f"a calibration of slope {self.slope} is not usable (0 to 1e6)")
        if (self.method == "isotonic") != bool(self.knots):
            raise ConfidenceError("an isotonic calibration, and no other, has knots")
        if len(self.knots) > MAX_KNOTS or not _rises(self.knots):
            raise ConfidenceError("the calibration's curve is not usable: it must rise from 0 to 1")
        if not 0 <= self.positives <= self.n:
            raise ConfidenceError(f"{self.positives} real ones of {self.n} candidates cannot be")
        texts = (self.data_sha256, self.model, self.model_sha256, self.task, self.note)
        if any(len(text) > MAX_TEXT for text in texts):
            raise ConfidenceError(f"a calibration's texts have at most {MAX_TEXT} characters")
        if self.prior is not None and not 0.0 <= self.prior <= 1.0:
            raise ConfidenceError(f"a share of {self.prior} real ones cannot be")

    @property
    def is_fitted(self) -> bool:
        """False: numbers go through as they are, and must be called "not calibrated"."""
        return self.method != "identity"

    @overload
    def apply(self, p: float) -> float: ...
    @overload
    def apply(self, p: ArrayLike) -> Floats: ...
    def apply(self, p: ArrayLike) -> float | Floats:
        """Calibrated p(YES), of one or of many."""
        raw = chances(p)
        if self.method == "platt":
            result = sigmoid(self.slope * logit(raw) + self.intercept)
        elif self.method == "isotonic":
            x, y = np.array(self.knots).T
            result = np.interp(raw, x, y)
        else:
            result = raw
        return float(result) if np.ndim(result) == 0 else result


def fit_calibration(
    judged: JudgedScores,
    method: Choice = "auto",
    *,
    model: str = "",
    model_sha256: str = "",
    task: str = "",
) -> Calibration:
    """Fit on judged candidates. "auto" takes what their number bears, and changes nothing (with a
    note why) where it bears nothing; a method asked for by name is fitted or refused."""
    if method != "auto" and method not in METHODS:
        raise ConfidenceError(f"there is no calibration named {str(method)[:40]!r}")
    blank = Calibration(
        method="identity",
        n=len(judged),
        positives=judged.positives,
        prior=judged.prior if len(judged) else None,
        data_sha256=judged.sha256(),
        model=model,
        model_sha256=model_sha256,
        task=task,
    )
    try:
        chosen = advised_method(judged) if method == "auto" else method
        return _fitted(blank, chosen, judged.in_order())
    except ConfidenceError as error:
        if method != "auto":
            raise
        return replace(blank, note=f"not calibrated: {error}")


def advised_method(judged: JudgedScores) -> Method:
    """What this many judged candidates bear: isotonic from about 1,000, with 100 of the rarer
    class, else Platt. Refuses where there are too few for either."""
    rarer = min(judged.positives, judged.negatives)
    if len(judged) >= ISOTONIC_NEEDS[0] and rarer >= ISOTONIC_NEEDS[1]:
        return "isotonic"
    if len(judged) < PLATT_NEEDS[0] or rarer < PLATT_NEEDS[1]:
        raise ConfidenceError(
            f"{judged.positives} real and {judged.negatives} other judged candidates are too few; "
            f"judge at least {PLATT_NEEDS[0]}, {PLATT_NEEDS[1]} or more of each"
        )
    return "platt"


def calibrated_out_of_fold(judged: JudgedScores, method: Choice = "auto", folds: int = 5) -> Floats:
    """p(YES) of every judged candidate, calibrated on the others: for an honest reliability curve.

    A curve drawn from the candidates a calibration was fitted on flatters it. Folds are dealt out
    by class and p, so that the same candidates give the same numbers.
    """
    if not 2 <= folds <= len(judged):
        raise ConfidenceError(f"{len(judged)} judged candidates cannot be dealt into {folds} folds")
    order = np.lexsort((judged.weights, judged.p, judged.label))
    fold = np.empty(len(judged), dtype=np.intp)
    fold[order] = np.arange(len(judged)) % folds
    result = np.empty(len(judged))
    for number in range(folds):
        held = fold == number
        result[held] = fit_calibration(judged.where(~held), method).apply(judged.p[held])
    return result


def _fitted(blank: Calibration, method: Method, judged: JudgedScores) -> Calibration:
    if method == "identity":
        return blank
    if judged.positives == 0 or judged.negatives == 0:
        raise ConfidenceError("all judged candidates are of one class: judge some of the other too")
    if judged.p[0] == judged.p[-1]:
        raise ConfidenceError("every p(YES) is the same: there is nothing to calibrate")
    if method == "platt":
        slope, intercept = fit_platt(judged)
        if slope <= 0.0:
            raise _upside_down()
        return replace(blank, method=method, slope=slope, intercept=intercept)
    x, y = fit_isotonic(judged, *smoothed_targets(judged))
    if y[0] == y[-1]:
        raise _upside_down()
    return replace(blank, method=method, knots=tuple(zip(x.tolist(), y.tolist(), strict=True)))


def _upside_down() -> ConfidenceError:
    return ConfidenceError(
        "real candidates did not get a higher p(YES) than the others: check that the verdicts "
        "belong to this task and model"
    )


def _rises(knots: tuple[tuple[float, float], ...]) -> bool:
    """Strictly in p, never falling in calibrated p, all from 0 to 1."""
    if not knots:
        return True
    x, y = np.array(knots, dtype=np.float64).reshape(-1, 2).T
    inside = bool(np.all((x >= 0.0) & (x <= 1.0) & (y >= 0.0) & (y <= 1.0)))
    return inside and bool(np.all(np.diff(x) > 0.0)) and bool(np.all(np.diff(y) >= 0.0))
