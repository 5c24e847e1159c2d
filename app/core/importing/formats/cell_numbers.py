"""Parsing of numbers in table cells."""

from __future__ import annotations

import math
import re

MISSING = frozenset({"", "nan", "null", "none", "n/a", "na", "--", "-", "masked", "<na>"})
"""Cell texts that mean "no value", in lower case."""
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")


def is_missing(text: str) -> bool:
    return text.strip().lower() in MISSING


def float_of(text: str) -> float | None:
    """A number as Python parses it, but without underscores; may be infinite or NaN."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def number_of(text: str) -> float | None:
    """A finite number; also accepts a decimal comma."""
    number = float_of(text)
    if number is None and _DECIMAL_COMMA.fullmatch(text.strip()):
        number = float_of(text.replace(",", "."))
    return number if number is not None and math.isfinite(number) else None
