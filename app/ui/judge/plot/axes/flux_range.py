"""The flux range to show: robust, weighted by the errors, for a linear or logarithmic axis."""

import numpy as np

from agent.spectra.spectrum import FloatArray, Window
from app.ui.judge.plot.canvas.curve import visible
from app.ui.judge.plot.canvas.paint import keep
from app.ui.judge.plot.trace import Trace, rough_median

CENTRAL = (0.005, 0.995)
REACH = 5.0  # lines may extend the flux range on each side by up to this many central ranges
SPIKE_PX = 5  # features narrower than this do not extend the flux range
TIP = 0.15  # unless they add no more than this fraction of it: the tip of a line is shown whole
SURE = 2.0  # nor do those that stand out of the central range by less than so many of their errors
CERTAIN = 5.0  # pixels that stand out of the median by so many errors count in full, however noisy
BELOW, ABOVE = 0.05, 0.14
"""Margins as fractions of the range; the names of lines are drawn in the upper one."""
# The [O I] sky lines, which are seldom subtracted well; ignored in windows wider than WIDE_A.
SKY_RESIDUALS = ((5569.0, 5589.0), (6294.0, 6309.0))
WIDE_A = 600.0
DEEPEST = 1e-4  # a logarithmic axis reaches down to this fraction of its upper end at most
MIN_WIDTH_A = 2.0
WHOLE_FRACTION = 0.999


def flux_range(trace: Trace, window: Window, from_zero: bool = False) -> Window:
    """The flux range to show for a window, as drawn: see `Trace.on_axis`."""
    known, asked = trace.flux_ranges, (window, from_zero)
    if asked in known:
        return known[asked]
    return keep(known, asked, _found(trace, window, from_zero))


def _found(trace: Trace, window: Window, from_zero: bool) -> Window:
    inside = visible(trace.wavelength, *window)
    flux = trace.flux[inside]
    error = None if trace.error is None else trace.error[inside]
    counts = np.isfinite(flux)
    if window[1] - window[0] > WIDE_A:
        for lo, hi in SKY_RESIDUALS:
            counts[slice(*trace.wavelength[inside].searchsorted((lo, hi)).tolist())] = False
    if not counts.any():
        counts = np.isfinite(flux)
    low, high = _extent(flux[counts], None if error is None else error[counts])
    if trace.is_log:
        low, high = _logarithmic(flux[counts], low, high)
    elif from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    height = high - low
    starts_at_zero = from_zero and not trace.is_log and low == 0.0
    return low - (0.0 if starts_at_zero else BELOW * height), high + ABOVE * height


def _extent(flux: FloatArray, error: FloatArray | None) -> Window:
    if not flux.size:
        return 0.0, 1.0
    if flux.size <= SPIKE_PX:
        low, high = float(flux.min()), float(flux.max())
    else:
        low, high = _central(flux, error)
        reach = REACH * (high - low)
        calm = _medians_of_five(flux)
        sure = 0.0 if error is None else SURE * np.nan_to_num(error[2:-2], nan=np.inf)
        lowest = float(np.min(np.where(calm < low - sure, calm, low)))
        highest = float(np.max(np.where(calm > high + sure, calm, high)))
        low, high = max(lowest, low - reach), min(highest, high + reach)
        tips = flux[flux <= high + TIP * (high - low)]
        high = max(high, float(tips.max(initial=high)))
    if high - low > 1e-12 * max(abs(low), abs(high)) > 0:
        return low, high
    half = 0.5 * abs(high) or 0.5
    return low - half, high + half


def _medians_of_five(flux: FloatArray) -> FloatArray:
    """Running medians of five pixels, by comparing pairs: ten times faster than sorting."""
    a, b, c, d, e = (flux[start : flux.size - SPIKE_PX + 1 + start] for start in range(SPIKE_PX))
    low = np.maximum(np.minimum(a, b), np.minimum(d, e))
    high = np.minimum(np.maximum(a, b), np.maximum(d, e))
    return np.asarray(np.maximum(np.minimum(low, high), np.minimum(np.maximum(low, high), c)))


def _central(flux: FloatArray, error: FloatArray | None) -> Window:
    """The central range of the fluxes, where a noisy end counts less than the rest."""
    known = np.empty(0) if error is None else error[np.isfinite(error) & (error > 0)]
    if error is None or not known.size:
        low, high = np.percentile(flux, [100.0 * each for each in CENTRAL]).tolist()
        return low, high
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.minimum(rough_median(known) / error, 1.0) ** 2
        # The top of a strong line is noisy too.
        weight[np.abs(flux - rough_median(flux)) > CERTAIN * error] = 1.0
    weight = np.nan_to_num(weight, nan=0.0)
    outside = CENTRAL[0] * float(weight.sum())
    return _tail(flux, weight, outside), -_tail(-flux, weight, outside)


def _tail(flux: FloatArray, weight: FloatArray, outside: float) -> float:
    """The flux below which the weights add up to this much."""
    # Sorting a twentieth is enough as a rule, and five times as fast as sorting all.
    for count in (max(flux.size // 20, 1), flux.size):
        lowest = np.argpartition(flux, count - 1)[:count]
        order = lowest[np.argsort(flux[lowest])]
        below = np.cumsum(weight[order]) - 0.5 * weight[order]
        if below[-1] >= outside:
            break
    return float(np.interp(outside, below, flux[order]))


def _logarithmic(flux: FloatArray, low: float, high: float) -> Window:
    """The range in decimal logarithms; its lower end is that of the fluxes above zero."""
    if high <= 0.0:
        return -1.0, 0.0
    positive = flux[flux > 0.0]
    if low < DEEPEST * high and positive.size:
        low = float(np.percentile(positive, 100.0 * CENTRAL[0]))
    return float(np.log10(max(low, DEEPEST * high))), float(np.log10(high))


# Arithmetic on wavelength windows: zoom and limits.
def zoomed(window: Window, factor: float, at: float | None = None) -> Window:
    """The window `factor` times as wide, with `at` (by default the centre) kept in place."""
    lo, hi = window
    fixed = 0.5 * (lo + hi) if at is None else at
    return fixed + (lo - fixed) * factor, fixed + (hi - fixed) * factor


def within(window: Window, whole: Window) -> Window | None:
    """The window moved inside the spectrum; None where it covers practically all of it."""
    width = max(window[1] - window[0], MIN_WIDTH_A)
    if width >= WHOLE_FRACTION * (whole[1] - whole[0]):
        return None
    middle = 0.5 * (window[0] + window[1])
    lo = min(max(middle - 0.5 * width, whole[0]), whole[1] - width)
    return lo, lo + width


def overlaps(window: Window, whole: Window) -> bool:
    return window[0] < whole[1] and whole[0] < window[1]
