"""Calibrations as JSON text; values that are read back are checked like any untrusted input."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, NoReturn

from agent.checked_toml import printable
from agent.confidence.calibration import CALIBRATION_VERSION, MAX_KNOTS, Calibration
from agent.confidence.judged import ConfidenceError

MAX_BYTES = 8 * 1024 * 1024
TEXTS = ("method", "data_sha256", "model", "model_sha256", "task", "note")
COUNTS = ("n", "positives")
NUMBERS = ("slope", "intercept")
FIELDS = frozenset(field.name for field in fields(Calibration))


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
        return Calibration(**_checked(record))
    except ConfidenceError as error:
        raise ConfidenceError(f"{source}: {error}") from error


def _checked(record: Mapping[str, Any]) -> dict[str, Any]:
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
    checked["knots"] = _knots(record["knots"])
    return checked


def _knots(value: object) -> tuple[tuple[float, float], ...]:
    if not isinstance(value, list) or len(value) > MAX_KNOTS:
        raise ConfidenceError(f"knots must be a list of at most {MAX_KNOTS} pairs")
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        raise ConfidenceError("knots must be pairs of numbers")
    return tuple((_number(x, "a knot"), _number(y, "a knot")) for x, y in value)


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
