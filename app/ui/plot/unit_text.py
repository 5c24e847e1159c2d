"""Units of flux as people write them: 1e-17 erg/s/cm2/A is 10⁻¹⁷ erg s⁻¹ cm⁻² Å⁻¹."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

LONGEST = 40
"""Characters of a unit nobody knows, as it stands on the axis."""
MOST_TOKENS = 40
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
PLAIN = "erg s cm m nm Hz W J Jy mJy MJy sr arcsec pix photon ct adu Å µm µJy K"
SPELT: dict[str, str] = {name: name for name in PLAIN.split()} | {
    "ergs": "erg",
    "Erg": "erg",
    "sec": "s",
    "um": "µm",
    "micron": "µm",
    "μm": "µm",  # the Greek letter; above it is the sign
    "uJy": "µJy",
    "pixel": "pix",
    "count": "ct",
    "counts": "ct",
    "photons": "photon",
    "ADU": "adu",
    "A": "Å",
    "AA": "Å",
    "Ang": "Å",
    "ang": "Å",
    "Angstrom": "Å",
    "angstrom": "Å",
    "Angstroms": "Å",
    "angstroms": "Å",
    "\u212b": "Å",
}
FACTOR = re.compile(
    r"(?:(?P<mantissa>\d(?:\.\d{1,6})?)[eE]|10(?:\*\*|\^))\(?(?P<power>[+-]?\d{1,2})\)?[\s*]*"
)
TOKEN = re.compile(r"[^\W\d_]+|(?:\*\*|\^)?\(?[+-]?\d{1,2}\)?|[/().*]")


@dataclass(frozen=True)
class Unit:
    """`text` is without the power of ten that stands before it."""

    text: str
    power: int = 0
    mantissa: str = ""
    """A factor before the power; empty: 1."""


def power_text(exponent: int) -> str:
    """10 to that, in raised digits."""
    return "10" + _raised(exponent)


@lru_cache(maxsize=64)
def read_unit(words: str) -> Unit:
    """A file's own words: those that are not understood stay as they are, on one short line."""
    plain = " ".join(words[: 4 * LONGEST].split())
    found = FACTOR.match(plain)
    rest = plain if found is None else plain[found.end() :]
    parts = _parts(rest)
    if parts is None:
        kept = "".join(each for each in plain if each.isprintable())
        return Unit(kept if len(kept) <= LONGEST else kept[: LONGEST - 1] + "…")
    text = " ".join(name + (_raised(power) if power != 1 else "") for name, power in parts)
    if found is None:
        return Unit(text)
    mantissa = found["mantissa"] or ""
    return Unit(text, int(found["power"]), "" if mantissa in ("1", "1.0") else mantissa)


def _parts(text: str) -> list[tuple[str, int]] | None:
    """Names of units and their powers; None where it is not understood."""
    tokens = TOKEN.findall(text)
    if "".join(tokens) != text.replace(" ", "") or len(tokens) > MOST_TOKENS:
        return None
    found: list[tuple[str, int]] = []
    signs, sign = [1], 1
    for token in tokens:
        if token == "/":
            sign = -1
        elif token == "(":
            signs.append(signs[-1] * sign)
            sign = 1
        elif token == ")":
            if len(signs) == 1:
                return None
            signs.pop()
        elif token in SPELT:
            found.append((SPELT[token], signs[-1] * sign))
            sign = 1
        elif token not in ("*", "."):
            if not found or abs(found[-1][1]) != 1 or not (power := _power(token)):
                return None
            found[-1] = found[-1][0], found[-1][1] * power
    return found if len(signs) == 1 else None


def _power(token: str) -> int:
    digits = token.strip("*^()")
    return int(digits) if digits.lstrip("+-").isdigit() else 0


def _raised(power: int) -> str:
    return str(power).translate(RAISED)
