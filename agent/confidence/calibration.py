"""Calibration of an inspector's p(YES) against human verdicts.

A calibrated p(YES) of 0.7 means that about 70 % of such candidates are real, for candidates
selected in the same way as the judged ones.
"""

import json
import math
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, NoReturn, get_args, overload

import numpy as np
from numpy.typing import ArrayLike

from agent.checked_toml import printable
from agent.confidence.judged import (
    ConfidenceError,
    JudgedScores,
    checked_probabilities,
    logit,
    sigmoid,
)
from agent.spectra.spectrum import FloatArray

Method = Literal["identity", "platt", "isotonic"]
MethodChoice = Literal["auto", "identity", "platt", "isotonic"]
METHODS: tuple[Method, ...] = get_args(Method)

CALIBRATION_VERSION = 1
MAX_KNOTS = 100_000
MAX_TEXT = 500
MAX_SLOPE = 1e6
# (candidates, of each class). Below this, a line through the log odds is mostly noise.
PLATT_NEEDS = (20, 5)
# With fewer, the curve follows single candidates and the line predicts better.
ISOTONIC_NEEDS = (1000, 100)

MAX_STEPS = 100
TOLERANCE = 1e-12
MIN_SPREAD = 1e-6  # log odds closer together than this differ by rounding only


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """A monotonic map from p(YES) to calibrated p(YES), with its provenance.

    Unknown hashes and names are empty strings.
    """

    method: Method
    slope: float = 1.0
    intercept: float = 0.0
    knots: tuple[tuple[float, float], ...] = ()
    """(p(YES), calibrated p(YES)) pairs, for the isotonic method only."""
    n: int = 0
    positives: int = 0
    prior: float | None = None
    data_sha256: str = ""
    model: str = ""
    model_sha256: str = ""
    task: str = ""
    note: str = ""  # Shown to the user: why nothing was fitted, or a caveat.
    version: int = CALIBRATION_VERSION

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise _unknown_method(self.method)
        if not 0.0 <= self.slope <= MAX_SLOPE or not math.isfinite(self.intercept):
            raise ConfidenceError(f"the slope must be from 0 to 1e6, but it is {self.slope}")
        if (self.method == "isotonic") != bool(self.knots):
            raise ConfidenceError("isotonic calibrations must have knots, and only they")
        if len(self.knots) > MAX_KNOTS or not _rises(self.knots):
            raise ConfidenceError("the knots must rise and stay within 0 and 1")
        if not 0 <= self.positives <= self.n:
            raise ConfidenceError(f"{self.positives} of {self.n} candidates cannot be real")
        texts = (self.data_sha256, self.model, self.model_sha256, self.task, self.note)
        if any(len(text) > MAX_TEXT for text in texts):
            raise ConfidenceError(f"the calibration has a text longer than {MAX_TEXT} characters")
        if self.prior is not None and not 0.0 <= self.prior <= 1.0:
            raise ConfidenceError(f"the prior must be from 0 to 1, but it is {self.prior}")

    @property
    def is_fitted(self) -> bool:
        """Whether p(YES) is changed; the user is shown "not calibrated" otherwise."""
        return self.method != "identity"

    @overload
    def apply(self, p: float) -> float: ...
    @overload
    def apply(self, p: ArrayLike) -> FloatArray: ...
    def apply(self, p: ArrayLike) -> float | FloatArray:
        """Calibrate one p(YES) or an array of them."""
        raw = checked_probabilities(p)
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
    method: MethodChoice = "auto",
    *,
    model: str = "",
    model_sha256: str = "",
    task: str = "",
) -> Calibration:
    """Fit a calibration to judged candidates.

    "auto" chooses by sample size and returns the identity, with a note, if no fit is possible.
    A method chosen by name raises ConfidenceError instead.
    """
    if method != "auto" and method not in METHODS:
        raise _unknown_method(method)
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
    """Isotonic or Platt by sample size; raises ConfidenceError if there are too few."""
    rarer = min(judged.positives, judged.negatives)
    if len(judged) >= ISOTONIC_NEEDS[0] and rarer >= ISOTONIC_NEEDS[1]:
        return "isotonic"
    if len(judged) < PLATT_NEEDS[0] or rarer < PLATT_NEEDS[1]:
        raise ConfidenceError(
            f"{judged.positives} real and {judged.negatives} other candidates are too few; "
            f"judge at least {PLATT_NEEDS[0]}, with {PLATT_NEEDS[1]} or more of each kind"
        )
    return "platt"


def calibrated_out_of_fold(
    judged: JudgedScores, method: MethodChoice = "auto", folds: int = 5
) -> FloatArray:
    """Cross-validated p(YES): each candidate is calibrated by a fit to the other folds.

    A reliability curve of the fitted candidates themselves would look too good. Folds are
    assigned by class and p, so the result does not depend on the order of candidates.
    """
    if not 2 <= folds <= len(judged):
        raise ConfidenceError(f"{len(judged)} candidates cannot be split into {folds} folds")
    order = np.lexsort((judged.p, judged.label))
    fold = np.empty(len(judged), dtype=np.intp)
    fold[order] = np.arange(len(judged)) % folds
    result = np.empty(len(judged))
    for number in range(folds):
        held_out = fold == number
        rule = fit_calibration(judged.where(~held_out), method)
        result[held_out] = rule.apply(judged.p[held_out])
    return result


def fit_isotonic(
    judged: JudgedScores, low: float = 0.0, high: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Knots (p, calibrated p) of the isotonic fit, clipped to `low` and `high`.

    Interpolate linearly between the knots; the curve is constant outside them.
    """
    from scipy.optimize import isotonic_regression

    x, group = np.unique(judged.p, return_inverse=True)
    count = np.bincount(group).astype(np.float64)
    share = np.bincount(group, weights=judged.label) / count
    y = np.clip(isotonic_regression(share, weights=count).x, low, high)
    kept = np.ones(x.size, dtype=bool)
    kept[1:-1] = (y[1:-1] != y[:-2]) | (y[1:-1] != y[2:])  # drop points inside a flat stretch
    return x[kept], y[kept]


def _fitted(blank: Calibration, method: Method, judged: JudgedScores) -> Calibration:
    if method == "identity":
        return blank
    if judged.positives == 0 or judged.negatives == 0:
        raise ConfidenceError("all judged candidates are of one class: judge some others, too")
    if judged.p[0] == judged.p[-1]:
        raise ConfidenceError("every p(YES) is the same, so nothing can be calibrated")
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
        "real candidates do not have a higher p(YES) than the others: check that the verdicts "
        "belong to this task and model"
    )


def _unknown_method(method: object) -> ConfidenceError:
    return ConfidenceError(
        f"unknown calibration method {str(method)[:40]!r}: use one of {', '.join(METHODS)}"
    )


def _rises(knots: tuple[tuple[float, float], ...]) -> bool:
    """Whether p strictly increases, calibrated p never decreases, and all are from 0 to 1."""
    if not knots:
        return True
    x, y = np.array(knots, dtype=np.float64).reshape(-1, 2).T
    inside = bool(np.all((x >= 0.0) & (x <= 1.0) & (y >= 0.0) & (y <= 1.0)))
    return inside and bool(np.all(np.diff(x) > 0.0)) and bool(np.all(np.diff(y) >= 0.0))


MAX_BYTES = 8 * 1024 * 1024
TEXTS = ("method", "data_sha256", "model", "model_sha256", "task", "note")
COUNTS = ("n", "positives")
NUMBERS = ("slope", "intercept")
FIELDS = frozenset(field.name for field in fields(Calibration))


# Calibrations as JSON text; values that are read back are checked like any untrusted input.
def calibration_to_json(calibration: Calibration) -> str:
    return json.dumps(asdict(calibration), ensure_ascii=False, allow_nan=False, sort_keys=True)


def calibration_from_json(text: str, source: str = "calibration") -> Calibration:
    """Raises ConfidenceError, prefixed with `source`, unless the text is a valid calibration."""
    if len(text) > MAX_BYTES:
        raise ConfidenceError(f"{source}: longer than {MAX_BYTES} bytes")
    try:
        record = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ConfidenceError(f"{source}: not valid JSON: {str(error)[:100]}") from error
    if not isinstance(record, dict):
        raise ConfidenceError(f"{source}: not a calibration")
    if record.get("version") != CALIBRATION_VERSION:
        raise ConfidenceError(f"{source}: made by another version of this program: calibrate again")
    if wrong := sorted(record.keys() - FIELDS) + sorted(FIELDS - record.keys()):
        raise ConfidenceError(f"{source}: unknown or missing field {printable(wrong[0], 40)!r}")
    try:
        checked: dict[str, Any] = {"version": CALIBRATION_VERSION}
        for name in TEXTS:
            if not isinstance(record[name], str):
                raise ConfidenceError(f"{name} must be a text")
            checked[name] = record[name]
        for name in COUNTS:
            if type(record[name]) is not int or not 0 <= record[name] <= 10**12:
                raise ConfidenceError(f"{name} must be a count")
            checked[name] = record[name]
        for name in NUMBERS:
            checked[name] = _number(record[name], name)
        checked["prior"] = None if record["prior"] is None else _number(record["prior"], "prior")
        value = record["knots"]
        if not isinstance(value, list) or len(value) > MAX_KNOTS:
            raise ConfidenceError(f"knots must be a list of at most {MAX_KNOTS} pairs")
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
            raise ConfidenceError("knots must be pairs of numbers")
        checked["knots"] = tuple((_number(x, "a knot"), _number(y, "a knot")) for x, y in value)
        return Calibration(**checked)
    except ConfidenceError as error:
        raise ConfidenceError(f"{source}: {error}") from error


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfidenceError(f"{name} must be a number")
    try:
        number = float(value)
    except OverflowError as error:
        raise ConfidenceError(f"{name} is too large a number") from error
    if not math.isfinite(number):
        raise ConfidenceError(f"{name} must be a finite number")
    return number


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not allowed")


# Platt scaling: a straight line through the log odds, for tens to hundreds of candidates. Platt
# (1999), fitted by Newton's method as in Lin, Lin and Weng (2007).
def smoothed_targets(judged: JudgedScores) -> tuple[float, float]:
    """Platt's target values for NO and YES: a fit to n candidates is never surer than 1 in n."""
    return 1.0 / (judged.negatives + 2.0), (judged.positives + 1.0) / (judged.positives + 2.0)


def fit_platt(judged: JudgedScores) -> tuple[float, float]:
    """Slope and intercept in log odds; a slope below 1 means the inspector is overconfident."""
    x = logit(judged.p)
    centre, scale = float(x.mean()), float(x.std())
    if np.ptp(x) < MIN_SPREAD:
        raise ConfidenceError("every p(YES) is the same, so nothing can be calibrated")
    low, high = smoothed_targets(judged)
    target = np.where(judged.label, high, low)
    slope, intercept = _newton((x - centre) / scale, target)
    return slope / scale, intercept - slope * centre / scale


def _newton(x: FloatArray, target: FloatArray) -> tuple[float, float]:
    at = np.array([0.0, float(logit(target.mean()))])
    loss = _loss(at, x, target)
    for _ in range(MAX_STEPS):
        gradient, curvature = _derivatives(at, x, target)
        step = np.linalg.solve(curvature, gradient)
        gain = float(gradient @ step)  # twice the expected decrease of a full step
        if gain <= TOLERANCE:
            at = at - step
            break
        length, tried = 1.0, _loss(at - step, x, target)
        # Halved until the loss falls by a share of what the slope promises (Armijo), with the
        # share and the smallest length of Lin, Lin and Weng.
        while tried > loss - 1e-4 * length * gain and length > 1e-10:
            length *= 0.5
            tried = _loss(at - length * step, x, target)
        at, loss = at - length * step, tried
    return float(at[0]), float(at[1])


def _loss(at: FloatArray, x: FloatArray, target: FloatArray) -> float:
    log_odds = at[0] * x + at[1]
    return float(np.mean(np.logaddexp(0.0, log_odds) - target * log_odds))


def _derivatives(
    at: FloatArray, x: FloatArray, target: FloatArray
) -> tuple[FloatArray, FloatArray]:
    p = sigmoid(at[0] * x + at[1])
    error, bend = (p - target) / x.size, p * (1.0 - p) / x.size
    cross = float(bend @ x)
    curvature = np.array([[float(bend @ (x * x)), cross], [cross, float(np.sum(bend))]])
    ridge = 1e-12 * np.eye(2)  # the curvature vanishes where every p is 0 or 1
    return np.array([float(error @ x), float(np.sum(error))]), curvature + ridge
