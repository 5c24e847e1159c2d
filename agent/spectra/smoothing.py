"""Box and Gaussian smoothing that ignores bad pixels; widths in pixels."""

import numpy as np

from agent.spectra.gaps import GAP, gap_starts
from agent.spectra.spectrum import BoolArray, FloatArray

FWHM_PER_SIGMA = 2.0 * np.sqrt(2.0 * np.log(2.0))
MAX_KERNEL_PX = 20_001  # wider than any survey's spectrum: a typed width may be absurd
MAX_PARTS = 300  # with more gaps than this, pixels are smoothed across them, which takes less time


def smooth_box(flux: FloatArray, good: BoolArray, width_px: float) -> FloatArray:
    """Mean of the good pixels in a window `width_px` wide (rounded to an odd number)."""
    half = min(max(0, round((width_px - 1) / 2)), flux.size, MAX_KERNEL_PX // 2)
    return _normalised(flux, good, np.ones(2 * half + 1))


def smooth_gaussian(flux: FloatArray, good: BoolArray, fwhm_px: float) -> FloatArray:
    """Gaussian-weighted mean of the good pixels."""
    return _normalised(flux, good, gaussian_kernel(min(fwhm_px, float(2 * flux.size))))


def gaussian_kernel(fwhm_px: float) -> FloatArray:
    sigma = max(fwhm_px, 1e-3) / FWHM_PER_SIGMA
    half = min(int(np.ceil(4.0 * sigma)), MAX_KERNEL_PX // 2)  # beyond 4 sigma lies 6e-5 of it
    offset = np.arange(-half, half + 1)
    return np.asarray(np.exp(-0.5 * (offset / sigma) ** 2))


def smooth_parts(
    wavelength: FloatArray, flux: FloatArray, error: FloatArray | None, fwhm_px: float
) -> tuple[FloatArray, FloatArray | None]:
    """Like `smooth_known`, with the pixels on each side of a gap by themselves."""
    starts = gap_starts(wavelength, GAP)
    if not 0 < starts.size <= MAX_PARTS:
        return smooth_known(flux, error, fwhm_px)
    errors = [None] * (starts.size + 1) if error is None else np.split(error, starts)
    pieces = zip(np.split(flux, starts), errors, strict=True)
    parts = [smooth_known(part, its_error, fwhm_px) for part, its_error in pieces]
    means = np.concatenate([mean for mean, _ in parts])
    if error is None:
        return means, None
    return means, np.concatenate([each for _, each in parts if each is not None])


def smooth_known(
    flux: FloatArray, error: FloatArray | None, fwhm_px: float
) -> tuple[FloatArray, FloatArray | None]:
    """Gaussian mean over the pixels that are not NaN, with its propagated error; NaN stays NaN."""
    kernel = gaussian_kernel(fwhm_px)
    known = np.isfinite(flux)
    weights = _same_size(known.astype(np.float64), kernel)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = _same_size(np.where(known, flux, 0.0), kernel) / weights
        mean[~known] = np.nan
        if error is None:
            return mean, None
        sigma = np.where(np.isfinite(error), error, 0.0)
        mean_error = np.sqrt(_same_size(sigma**2, kernel**2)) / weights
    mean_error[~np.isfinite(error)] = np.nan
    return mean, mean_error


def _same_size(values: FloatArray, kernel: FloatArray) -> FloatArray:
    """By numpy alone: the window smooths with it, and importing scipy.signal would be felt."""
    half = kernel.size // 2
    return np.convolve(values, kernel)[half : half + values.size]


def _normalised(flux: FloatArray, good: BoolArray, kernel: FloatArray) -> FloatArray:
    """Weighted mean over good pixels; NaN where the kernel reaches none."""
    if kernel.size == 1:
        return np.where(good, flux, np.nan)
    # Largest |flux|: dividing by it keeps sums from overflowing.
    largest = float(np.abs(flux[good]).max()) if good.any() else 1.0
    scale = largest if largest > 0 else 1.0
    values = _convolve(np.where(good, flux, 0.0) / scale, kernel)
    weights = _convolve(good.astype(np.float64), kernel)
    with np.errstate(all="ignore"):
        # A weight that is rounding of the Fourier transform is none.
        return np.where(weights > 1e-9 * kernel.sum(), scale * (values / weights), np.nan)


def _convolve(values: FloatArray, kernel: FloatArray) -> FloatArray:
    """Like `np.convolve(mode="same")`, but never longer than `values`."""
    half = kernel.size // 2
    if kernel.size < 200:  # for so few the sum itself takes less time than Fourier transforms
        full = np.convolve(values, kernel, mode="full")
    else:
        from scipy.signal import oaconvolve

        full = np.asarray(oaconvolve(values, kernel, mode="full"))
    return full[half : half + values.size]
