"""Bins in S/N, since most disagreement is about noisy spectra."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from agent.spectra.spectrum import BoolArray, FloatArray

Value = TypeVar("Value")

NOT_KNOWN = "S/N not known"
EDGES = (5.0, 10.0, 20.0, 50.0)


@dataclass(frozen=True)
class SnrBin(Generic[Value]):
    """A figure for candidates with S/N from `low` (inclusive) to `high`; both None: unknown S/N."""

    low: float | None
    high: float | None
    found: Value

    @property
    def name(self) -> str:
        if self.low is None and self.high is None:
            return NOT_KNOWN
        if self.low is None:
            return f"S/N below {self.high:g}"
        if self.high is None:
            return f"S/N {self.low:g} or more"
        return f"S/N {self.low:g}-{self.high:g}"


def by_snr(snr: FloatArray, figure: Callable[[BoolArray], Value]) -> tuple[SnrBin[Value], ...]:
    """A figure of the candidates in each bin, who are given to it as a mask."""
    return tuple(SnrBin(each.low, each.high, figure(each.found)) for each in split_by_snr(snr))


def split_by_snr(snr: FloatArray) -> Iterator[SnrBin[BoolArray]]:
    """The candidates in each bin as a mask, faint ones first, without empty bins."""
    known = ~np.isnan(snr)
    index = np.searchsorted(EDGES, snr, side="right")
    for number in range(len(EDGES) + 1):
        if np.any(members := known & (index == number)):
            low = EDGES[number - 1] if number else None
            yield SnrBin(low, EDGES[number] if number < len(EDGES) else None, members)
    if not np.all(known):
        yield SnrBin(None, None, ~known)
