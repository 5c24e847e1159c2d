"""Which points of a curve are drawn: those in sight, and of many in a column only the extremes."""

from __future__ import annotations

import numpy as np

from agent.spectra.spectrum import FloatArray

DENSE = 1.0
"""Points per column above which only the extremes are drawn."""


def visible(wavelength: FloatArray, lo: float, hi: float) -> slice:
    """The pixels in a window, and one more on each side so that the curve reaches the edge."""
    first, last = wavelength.searchsorted((lo, hi)).tolist()
    return slice(max(first - 1, 0), min(last + 1, wavelength.size))


def is_dense(x: FloatArray, columns: float) -> bool:
    """Whether a curve of so many points is reduced to the extremes of each column."""
    return x.size > DENSE * columns


def thin(x: FloatArray, y: FloatArray, columns: float) -> tuple[FloatArray, FloatArray]:
    """Reduce a dense curve to the extremes of each column; a column without a value is NaN.

    `x` increases and is in pixels.
    """
    if not is_dense(x, columns):
        return x, y
    column = np.floor(x)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(column)) + 1])
    low, high = np.fmin.reduceat(y, starts), np.fmax.reduceat(y, starts)
    first = y[starts]
    # Start at the end where the column is entered, so that a rising edge is not a zigzag.
    enters_low = np.abs(first - low) <= np.abs(high - first)
    thinned = np.empty(2 * starts.size)
    thinned[0::2] = np.where(enters_low, low, high)
    thinned[1::2] = np.where(enters_low, high, low)
    return np.repeat(column[starts] + 0.5, 2), thinned


def pieces(y: FloatArray) -> list[slice]:
    """Contiguous runs without NaN."""
    known = np.isfinite(y)
    if known.all():
        return [slice(0, y.size)] if y.size else []
    steps = np.diff(np.concatenate([[0], known.astype(np.int8), [0]]))
    starts, ends = np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist()
    return [slice(start, end) for start, end in zip(starts, ends, strict=True)]
