"""Smoothing that leaves bad pixels out: box, Gaussian, Savitzky-Golay; widths in pixels or km/s."""

from __future__ import annotations

import numpy as np

from agent.spectra.sampling import LIGHT_KMS, fill
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum

FWHM_PER_SIGMA = 2.0 * np.sqrt(2.0 * np.log(2.0))
MAX_KERNEL_PX = 20_001


def smooth_box(flux: FloatArray, good: BoolArray, width_px: float) -> FloatArray:
    """Mean of the good pixels in a window `width_px` wide (rounded to an odd number)."""
    half = min(max(0, round((width_px - 1) / 2)), flux.size, MAX_KERNEL_PX // 2)
    return _normalised(flux, good, np.ones(2 * half + 1))


def smooth_gaussian(flux: FloatArray, good: BoolArray, fwhm_px: float) -> FloatArray:
    """Gaussian-weighted mean of the good pixels."""
    return _normalised(flux, good, gaussian_kernel(min(fwhm_px, float(2 * flux.size))))


def smooth_savgol(flux: FloatArray, good: BoolArray, width_px: int, order: int = 2) -> FloatArray:
    """Local polynomial fit; bad pixels are bridged by straight lines first."""
    width = min(int(width_px) | 1, flux.size if flux.size % 2 else flux.size - 1)
    if width <= order:
        return fill(flux, good).copy()
    from scipy.signal import savgol_filter  # half a second to import, seldom needed

    scale = _largest(flux, good)
    smooth = savgol_filter(fill(flux, good) / scale, width, order, mode="interp")
    with np.errstate(over="ignore"):
        return np.asarray(smooth * scale)


def smooth_kms(spectrum: Spectrum, fwhm_kms: float) -> FloatArray:
    """Flux smoothed by a Gaussian of constant velocity width, on whatever pixel grid it has."""
    good = spectrum.good
    if fwhm_kms <= 0 or not good.any():
        return np.array(spectrum.flux)
    velocity = LIGHT_KMS * np.log(spectrum.wavelength)
    step = np.diff(velocity)
    if np.ptp(step) < 0.02 * float(np.median(step)):
        return smooth_gaussian(spectrum.flux, good, fwhm_kms / float(np.median(step)))
    # A grid even in wavelength is smoothed on one even in velocity, half a pixel fine.
    n_even = min(4 * len(spectrum), int(2 * np.ptp(velocity) / float(step.min())) + 2)
    even = np.linspace(velocity[0], velocity[-1], n_even)
    flux = np.interp(even, velocity, fill(spectrum.flux, good))
    everywhere = np.ones(even.size, dtype=np.bool_)
    smoothed = smooth_gaussian(flux, everywhere, fwhm_kms / float(even[1] - even[0]))
    return np.interp(velocity, even, smoothed)


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
    """What fluxes are divided by before they are squared and summed, so that none overflow."""
    largest = float(np.abs(flux[good]).max()) if good.any() else 1.0
    return largest if largest > 0 else 1.0


def _convolve(values: FloatArray, kernel: FloatArray) -> FloatArray:
    """As numpy's, cut to the length of the values also where the kernel is longer."""
    half = kernel.size // 2
    if kernel.size < 200:
        full = np.convolve(values, kernel, mode="full")
    else:
        from scipy.signal import oaconvolve

        full = np.asarray(oaconvolve(values, kernel, mode="full"))
    return full[half : half + values.size]
