"""Box and Gaussian smoothing that ignores bad pixels; widths in pixels."""

from __future__ import annotations

import numpy as np

from agent.spectra.spectrum import BoolArray, FloatArray

FWHM_PER_SIGMA = 2.0 * np.sqrt(2.0 * np.log(2.0))
MAX_KERNEL_PX = 20_001


def smooth_box(flux: FloatArray, good: BoolArray, width_px: float) -> FloatArray:
    """Mean of the good pixels in a window `width_px` wide (rounded to an odd number)."""
    half = min(max(0, round((width_px - 1) / 2)), flux.size, MAX_KERNEL_PX // 2)
    return _normalised(flux, good, np.ones(2 * half + 1))


def smooth_gaussian(flux: FloatArray, good: BoolArray, fwhm_px: float) -> FloatArray:
    """Gaussian-weighted mean of the good pixels."""
    return _normalised(flux, good, gaussian_kernel(min(fwhm_px, float(2 * flux.size))))


def gaussian_kernel(fwhm_px: float) -> FloatArray:
    sigma = max(fwhm_px, 1e-3) / FWHM_PER_SIGMA
    half = min(int(np.ceil(4.0 * sigma)), MAX_KERNEL_PX // 2)
    offset = np.arange(-half, half + 1)
    return np.asarray(np.exp(-0.5 * (offset / sigma) ** 2))


def _normalised(flux: FloatArray, good: BoolArray, kernel: FloatArray) -> FloatArray:
    """Weighted mean over good pixels; NaN where the kernel reaches none."""
    if kernel.size == 1:
        return np.where(good, flux, np.nan)
    scale = _largest(flux, good)
    values = _convolve(np.where(good, flux, 0.0) / scale, kernel)
    weights = _convolve(good.astype(np.float64), kernel)
    with np.errstate(all="ignore"):
        return np.where(weights > 1e-9 * kernel.sum(), scale * (values / weights), np.nan)


def _largest(flux: FloatArray, good: BoolArray) -> float:
    """Largest |flux|: dividing by it keeps sums from overflowing."""
    largest = float(np.abs(flux[good]).max()) if good.any() else 1.0
    return largest if largest > 0 else 1.0


def _convolve(values: FloatArray, kernel: FloatArray) -> FloatArray:
    """Like `np.convolve(mode="same")`, but never longer than `values`."""
    half = kernel.size // 2
    if kernel.size < 200:
        full = np.convolve(values, kernel, mode="full")
    else:
        from scipy.signal import oaconvolve

        full = np.asarray(oaconvolve(values, kernel, mode="full"))
    return full[half : half + values.size]
