"""No more points than the screen can show: the extremes of each column of pixels."""

from __future__ import annotations

import numpy as np

from agent.spectra.spectrum import FloatArray

DENSE = 3.0
"""Points per column from which on only the extremes are drawn."""


def visible(wavelength: FloatArray, lo: float, hi: float) -> slice:
    """With one point more at each side, so that the curve runs to the edge."""
    first, last = wavelength.searchsorted((lo, hi)).tolist()
    return slice(max(first - 1, 0), min(last + 1, wavelength.size))


def thin(x: FloatArray, y: FloatArray, columns: float) -> tuple[FloatArray, FloatArray]:
    """Points by increasing `x`, in pixels; a column without a value is a gap, NaN."""
    if x.size <= DENSE * columns:
        return x, y
    column = np.floor(x)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(column)) + 1])
    low, high = np.fmin.reduceat(y, starts), np.fmax.reduceat(y, starts)
    first = y[starts]
    # Begun at the end where the column was entered, so that a rising edge is no zigzag.
    enters_low = np.abs(first - low) <= np.abs(high - first)
    thinned = np.empty(2 * starts.size)
    thinned[0::2] = np.where(enters_low, low, high)
    thinned[1::2] = np.where(enters_low, high, low)
    return np.repeat(column[starts] + 0.5, 2), thinned


def pieces(y: FloatArray) -> list[slice]:
    """Stretches without NaN."""
    there = np.isfinite(y)
    if there.all():
        return [slice(0, y.size)] if y.size else []
    steps = np.diff(np.concatenate([[0], there.astype(np.int8), [0]]))
    starts, ends = np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist()
    return [slice(start, end) for start, end in zip(starts, ends, strict=True)]
