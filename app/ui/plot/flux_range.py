"""Between which fluxes to draw: all that is real, without what a cosmic ray would stretch."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from agent.spectra.spectrum import FloatArray
from app.ui.plot.thin import visible
from app.ui.plot.trace import Range, Trace

CENTRAL_PERCENT = (0.5, 99.5)
REACH = 5.0
"""Lines may stretch the limits on each side by so many central ranges."""
SPIKE_PX = 5
"""Shorter than this nothing stretches the limits."""
NOISY = 4.0
"""Pixels with an error of so many usual ones do not, either ..."""
SURE = 5.0
"""... unless they stand out by so many of their own: the top of a strong line is noisy, too."""
BELOW, ABOVE = 0.05, 0.14
"""Room left, in parts of the range; above there are the names of lines."""
SKY_RESIDUES = ((5569.0, 5589.0), (6294.0, 6309.0))
"""Where the sky is seldom subtracted well: left out of account in a wide window."""
WIDE = 600.0
"""Angstrom."""


@lru_cache(maxsize=2)  # plot and overview ask the same of a spectrum that is shown whole
def flux_range(trace: Trace, window: Range) -> Range:
    """Within `window`, in the units of the trace."""
    inside = visible(trace.wavelength, *window)
    flux = trace.flux[inside]
    counts = np.isfinite(flux)
    if trace.error is not None:
        error = trace.error[inside]
        known = error[np.isfinite(error)]
        if known.size and counts.any():
            stands_out = np.abs(flux - float(np.median(flux[counts]))) > SURE * error
            counts &= stands_out | ~(error > NOISY * float(np.median(known)))
    if window[1] - window[0] > WIDE:
        for lo, hi in SKY_RESIDUES:
            counts[slice(*trace.wavelength[inside].searchsorted((lo, hi)).tolist())] = False
    if not counts.any():
        counts = np.isfinite(flux)
    low, high = _extent(flux[counts])
    room = high - low
    return low - BELOW * room, high + ABOVE * room


def _extent(flux: FloatArray) -> Range:
    if not flux.size:
        return 0.0, 1.0
    if flux.size <= SPIKE_PX:
        low, high = float(flux.min()), float(flux.max())
    else:
        low, high = np.percentile(flux, CENTRAL_PERCENT).tolist()
        reach = REACH * (high - low)
        windows = np.lib.stride_tricks.sliding_window_view(flux, SPIKE_PX)
        calm = np.partition(windows, SPIKE_PX // 2, axis=1)[:, SPIKE_PX // 2]
        low = min(low, max(float(calm.min()), low - reach))
        high = max(high, min(float(calm.max()), high + reach))
    if high - low > 1e-12 * max(abs(low), abs(high)) > 0:
        return low, high
    half = 0.5 * abs(high) or 0.5
    return low - half, high + half
