"""Parsing of numbers in table cells."""

import math
import re

MISSING = frozenset({"", "nan", "null", "none", "n/a", "na", "--", "-", "masked", "<na>"})
"""Cell texts that mean "no value", in lower case."""
EXACT = 2**53  # larger integers are not all representable as doubles
_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")
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


def whole_of(text: str) -> int | None:
    """A whole number, also where it was written as a decimal (3.0), as pandas does beside a gap."""
    if _INTEGER.fullmatch(text.strip()):
        return int(text)
    number = float_of(text)
    is_exact = number is not None and abs(number) <= EXACT and number.is_integer()
    return int(number) if number is not None and is_exact else None
