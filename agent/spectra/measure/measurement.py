"""The result of a measurement: a number with its error, or the reason why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass

from agent.spectra.spectrum import Window


@dataclass(frozen=True)
class Measurement:
    """A number with its error; without a value, `reason` says why.

    `window` is observed vacuum angstrom.
    """

    name: str
    value: float | None
    error: float | None
    unit: str = ""
    window: Window | None = None
    n_pixels: int = 0
    reason: str = ""

    @property
    def number(self) -> float:
        """The value, or NaN: for tables and classifiers."""
        return math.nan if self.value is None else self.value

    @property
    def significance(self) -> float:
        """|value| / error; 0 without a value."""
        if self.value is None or not self.error:
            return 0.0
        return abs(self.value) / self.error


def measured(
    name: str,
    value: float,
    error: float | None,
    unit: str = "",
    window: Window | None = None,
    n_pixels: int = 0,
) -> Measurement:
    """A measurement, or a refusal where the number is not finite."""
    if not math.isfinite(value):
        return refused(name, "the numbers run out of range", unit, window, n_pixels)
    if error is not None and not math.isfinite(error):
        error = None
    return Measurement(name, value, error, unit, window, n_pixels)


def refused(
    name: str, reason: str, unit: str = "", window: Window | None = None, n_pixels: int = 0
) -> Measurement:
    return Measurement(name, None, None, unit, window, n_pixels, reason)
