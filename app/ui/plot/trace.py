"""Prepares a spectrum for drawing: smoothing, scaling, gaps, bad pixels, and the flux range."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from agent.spectra.gaps import gap_starts, with_gaps
from agent.spectra.pixel_grid import LIGHT_KMS, pixel_edges
from agent.spectra.smoothing import gaussian_kernel
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum, Window
from app.ui.plot.canvas.thinning import visible

PLAIN = (1e-2, 1e5)
"""Typical fluxes within this range are shown without a power of ten."""
LARGEST = 1e9
"""Values beyond this many typical fluxes are no measurements and are drawn as gaps."""
GAP = 6.0
"""Neighbours farther apart than this many usual steps are not joined."""
MAX_PARTS = 300
"""With more gaps than this, pixels are smoothed across them, which takes less time."""


@dataclass(frozen=True, eq=False)
class Trace:
    """A spectrum as drawn. Fluxes and errors are divided by 10 ** `exponent`; NaN is a gap."""

    wavelength: FloatArray
    flux: FloatArray
    """Smoothed, good pixels only."""
    raw: FloatArray
    """As in the file, bad pixels too."""
    error: FloatArray | None
    """One sigma of `flux`, after smoothing; None where the file gives none."""
    bad: tuple[Window, ...]
    """Wavelength ranges of bad pixels."""
    exponent: int
    smoothing_px: float
    pixel_kms: float

    @property
    def range(self) -> Window:
        return float(self.wavelength[0]), float(self.wavelength[-1])

    @property
    def unit(self) -> float:
        return float(10.0**self.exponent)

    @property
    def is_smoothed(self) -> bool:
        return self.smoothing_px > 0

    @property
    def smoothing_kms(self) -> float:
        return self.smoothing_px * self.pixel_kms


def trace(spectrum: Spectrum, smoothing_px: float = 0.0) -> Trace:
    exponent = _exponent(spectrum)
    unit = 10.0**exponent
    with np.errstate(over="ignore", invalid="ignore"):
        raw = spectrum.flux / unit
        sigma = None if spectrum.sigma is None else spectrum.sigma / unit
    raw = np.where(np.abs(raw) < LARGEST, raw, np.nan)
    good = spectrum.good & np.isfinite(raw)
    flux = np.where(good, raw, np.nan)
    error = None if sigma is None else np.where(good & (sigma < LARGEST), sigma, np.nan)
    wavelength = spectrum.wavelength
    if smoothing_px > 0:
        flux, error = _smoothed_apart(wavelength, flux, error, smoothing_px)
    pixel_kms = LIGHT_KMS * float(np.median(np.diff(wavelength) / wavelength[1:]))
    bad = bad_ranges(wavelength, ~good)
    if error is None:
        wavelength, flux, raw = with_gaps(wavelength, GAP, flux, raw)
    else:
        wavelength, flux, raw, error = with_gaps(wavelength, GAP, flux, raw, error)
    return Trace(wavelength, flux, raw, error, bad, exponent, smoothing_px, pixel_kms)


def _smoothed_apart(
    wavelength: FloatArray, flux: FloatArray, error: FloatArray | None, fwhm_px: float
) -> tuple[FloatArray, FloatArray | None]:
    """Like `smoothed`, with the pixels on each side of a gap by themselves."""
    starts = gap_starts(wavelength, GAP)
    if not 0 < starts.size <= MAX_PARTS:
        return smoothed(flux, error, fwhm_px)
    errors = [None] * (starts.size + 1) if error is None else np.split(error, starts)
    parts = [
        smoothed(part, its_error, fwhm_px)
        for part, its_error in zip(np.split(flux, starts), errors, strict=True)
    ]
    means = np.concatenate([mean for mean, _ in parts])
    if error is None:
        return means, None
    return means, np.concatenate([each for _, each in parts if each is not None])


def smoothed(
    flux: FloatArray, error: FloatArray | None, fwhm_px: float
) -> tuple[FloatArray, FloatArray | None]:
    """Gaussian mean over the pixels that are not NaN, with its propagated error; NaN stays NaN."""
    kernel = gaussian_kernel(fwhm_px)
    known = np.isfinite(flux)
    weights = _convolved(known.astype(np.float64), kernel)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = _convolved(np.where(known, flux, 0.0), kernel) / weights
        mean[~known] = np.nan
        if error is None:
            return mean, None
        sigma = np.where(np.isfinite(error), error, 0.0)
        mean_error = np.sqrt(_convolved(sigma**2, kernel**2)) / weights
    mean_error[~np.isfinite(error)] = np.nan
    return mean, mean_error


def bad_ranges(wavelength: FloatArray, bad: BoolArray) -> tuple[Window, ...]:
    """Runs of bad pixels, from the outer edge of the first to that of the last pixel.

    A gap in the wavelengths ends a run, and the pixels beside it are as wide as their neighbours.
    """
    if not bad.any():
        return ()
    starts = gap_starts(wavelength, GAP)
    edges = pixel_edges(wavelength)
    low, high = edges[:-1].copy(), edges[1:].copy()
    widest = GAP * float(np.median(np.diff(wavelength)))
    low[starts] = wavelength[starts] - np.minimum(high[starts] - wavelength[starts], widest)
    before = starts - 1
    high[before] = wavelength[before] + np.minimum(wavelength[before] - low[before], widest)
    is_first, is_last = bad.copy(), bad.copy()
    is_first[1:] &= ~bad[:-1]
    is_last[:-1] &= ~bad[1:]
    is_first[starts], is_last[before] = bad[starts], bad[before]
    return tuple(zip(low[is_first].tolist(), high[is_last].tolist(), strict=True))


def _convolved(values: FloatArray, kernel: FloatArray) -> FloatArray:
    half = kernel.size // 2
    return np.convolve(values, kernel)[half : half + values.size]


def _exponent(spectrum: Spectrum) -> int:
    magnitudes = np.abs(spectrum.flux[spectrum.good])
    magnitudes = magnitudes[magnitudes > 0]
    typical = float(np.median(magnitudes)) if magnitudes.size else 1.0
    if PLAIN[0] <= typical < PLAIN[1] or not math.isfinite(typical):
        return 0
    return max(min(math.floor(math.log10(typical)), 300), -300)


CENTRAL_PERCENT = (0.5, 99.5)
REACH = 5.0
"""Lines may extend the flux range on each side by up to this many central ranges."""
SPIKE_PX = 5
"""Features narrower than this do not extend the flux range."""
# Pixels with NOISY times the median error do not count, unless they stand out by SURE times their
# own error: the top of a strong line is noisy too.
NOISY, SURE = 4.0, 5.0
BELOW, ABOVE = 0.05, 0.14
"""Margins as fractions of the range; the names of lines are drawn in the upper one."""
# The [O I] sky lines, which are seldom subtracted well; ignored in windows wider than WIDE_A.
SKY_RESIDUALS = ((5569.0, 5589.0), (6294.0, 6309.0))
WIDE_A = 600.0


@lru_cache(maxsize=2)  # plot and overview both need it when the whole spectrum is shown
def flux_range(trace: Trace, window: Window) -> Window:
    """The flux range to show for a window, in units of the trace."""
    inside = visible(trace.wavelength, *window)
    flux = trace.flux[inside]
    counts = np.isfinite(flux)
    if trace.error is not None:
        error = trace.error[inside]
        known = error[np.isfinite(error)]
        if known.size and counts.any():
            stands_out = np.abs(flux - float(np.median(flux[counts]))) > SURE * error
            counts &= stands_out | ~(error > NOISY * float(np.median(known)))
    if window[1] - window[0] > WIDE_A:
        for lo, hi in SKY_RESIDUALS:
            counts[slice(*trace.wavelength[inside].searchsorted((lo, hi)).tolist())] = False
    if not counts.any():
        counts = np.isfinite(flux)
    low, high = _extent(flux[counts])
    height = high - low
    return low - BELOW * height, high + ABOVE * height


def _extent(flux: FloatArray) -> Window:
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
