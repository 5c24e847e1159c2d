"""The features: measurements that tell kinds of objects apart, with words for low and high values.

Equivalent widths are in angstrom, absorption positive. An edge is the fractional drop across a band
head. Ratios and breaks are defined in resources/indices, the features in resources/features; there
the border of 600 km/s is that of accretion discs, whose emission lines are wider.
"""

import csv
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType


@dataclass(frozen=True)
class KindFeature:
    """A measurement; `low` and `high` describe its extremes, empty if one means little alone."""

    name: str
    label: str
    unit: str
    low: str
    high: str
    border: float | None = None
    """Physical border between low and high, such as 0 between emission and absorption."""
    low_to: float | None = None
    """The highest value that is called low, where between low and high neither is said."""
    high_from: float | None = None
    only_in: str = ""
    """Spectra in which the value means something: hot, absorption, both or (if empty) all."""
    weaker_of: str = ""
    """`max` or `min`, and the two features of which this is the weaker one."""

    def words(self, value: float, middle: float) -> str:
        """The description without the value; `middle` replaces a missing border."""
        if not math.isfinite(value):
            return ""
        border = middle if self.border is None else self.border
        if value > (border if self.high_from is None else self.high_from):
            return self.high
        return self.low if value <= (border if self.low_to is None else self.low_to) else ""

    def text(self, value: float, middle: float, error: float = 0.0) -> str:
        """The description with the value and its error, or an empty text."""
        words = self.words(value, middle)
        if not words:
            return ""
        digits = 0 if self.unit == "km/s" or abs(value) >= 20 else 1 if self.unit else 2
        unit = f" {self.unit}" if self.unit else ""
        number = plain_zero(f"{value:.{digits}f}")
        if float(f"{error:.{digits}f}"):
            number += f" ± {error:.{digits}f}"
        return f"{words} ({self.label} {number}{unit})"


def plain_zero(number: str) -> str:
    """A number without the sign of a zero, such as that of -0.00."""
    return number.removeprefix("-") if float(number) == 0 else number


CLEAR_STEP = 0.04  # a real band head has a larger fractional drop


def _read_features() -> Iterator[KindFeature]:
    text = (files("resources") / "features" / "features.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        limits = (row.pop(name) for name in ("border", "low_to", "high_from"))
        border, low_to, high_from = (float(limit) if limit else None for limit in limits)
        yield KindFeature(**row, border=border, low_to=low_to, high_from=high_from)


FEATURES: Mapping[str, KindFeature] = MappingProxyType(
    {feature.name: feature for feature in _read_features()}
)
# Claims of the tasks call a smaller step none, since other bands make such steps.
NAMED_STEP: Mapping[str, float] = MappingProxyType(
    {
        name.removesuffix("_edge"): feature.high_from
        for name, feature in FEATURES.items()
        if name.endswith("_edge") and feature.high_from is not None
    }
)
