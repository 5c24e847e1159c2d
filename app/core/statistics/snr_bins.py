"""Agreement apart for faint and for bright: most disagreement is about noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from app.core.statistics.verdicts import BoolArray, FloatArray

Found = TypeVar("Found")

NOT_KNOWN = "S/N not known"
EDGES = (5.0, 10.0, 20.0, 50.0)


@dataclass(frozen=True)
class SnrBin(Generic[Found]):
    """A figure over candidates of S/N from `low` (included) to `high`; both None: no S/N known."""

    low: float | None
    high: float | None
    found: Found

    @property
    def name(self) -> str:
        if self.low is None and self.high is None:
            return NOT_KNOWN
        if self.low is None:
            return f"S/N below {self.high:g}"
        return (
            f"S/N {self.low:g} or more" if self.high is None else f"S/N {self.low:g}-{self.high:g}"
        )


def split_by_snr(snr: FloatArray) -> Iterator[SnrBin[BoolArray]]:
    """Which candidates lie in each bin, faint ones first; empty bins are left out."""
    known = ~np.isnan(snr)
    place = np.searchsorted(EDGES, snr, side="right")
    for number in range(len(EDGES) + 1):
        if np.any(members := known & (place == number)):
            low = EDGES[number - 1] if number else None
            yield SnrBin(low, EDGES[number] if number < len(EDGES) else None, members)
    if not np.all(known):
        yield SnrBin(None, None, ~known)
