"""Finds gaps in the wavelengths of a spectrum, over which no line is drawn."""

import numpy as np
from numpy.typing import NDArray

from agent.spectra.spectrum import FloatArray

GAP = 6.0  # neighbours farther apart than this many usual steps are not joined
BESIDE = np.arange(1, 6)
LEAST = 5.0
ALONE = 3.0


def gap_starts(wavelength: FloatArray, times: float) -> NDArray[np.intp]:
    """Indices of the pixels before which others are missing.

    There the step is more than `times` the median step, and LEAST times those beside it: nothing is
    missing where a table becomes coarser. Or it is more than ALONE * `times` those beside it.
    """
    steps = np.diff(wavelength)
    if not steps.size:
        return np.empty(0, dtype=np.intp)
    typical = float(np.median(steps))
    smaller = np.minimum(np.append(steps[:1], steps[:-1]), np.append(steps[1:], steps[-1:]))
    large = np.flatnonzero(steps > LEAST * np.minimum(smaller, typical))
    if not large.size:  # as in most spectra
        return large
    padded = np.pad(steps, BESIDE.size)
    at = large[:, None] + BESIDE.size
    before, after = (np.median(padded[places], axis=1) for places in (at - BESIDE, at + BESIDE))
    beside = np.maximum(before, after)
    beside[beside <= 0] = typical
    enough = np.minimum(ALONE * times * beside, np.maximum(times * typical, LEAST * beside))
    return large[steps[large] > enough] + 1


def with_gaps(wavelength: FloatArray, times: float, *values: FloatArray) -> tuple[FloatArray, ...]:
    """The wavelengths and values with a NaN value in the middle of each gap."""
    starts = gap_starts(wavelength, times)
    if not starts.size:
        return wavelength, *values
    middle = 0.5 * (wavelength[starts] + wavelength[starts - 1])
    inserted = (np.insert(each, starts, np.nan) for each in values)
    return np.insert(wavelength, starts, middle), *inserted
