"""Whether a line has two peaks, or a second line on its flank."""

from __future__ import annotations

import numpy as np

from agent.spectra.profiles import ProfileFit, strongest
from agent.spectra.smoothing import smooth_gaussian
from agent.spectra.spectrum import BoolArray, FloatArray

DIP_SIGMA = 4.0
MIN_DIP = 0.12
"""Depth of the dip as a part of the lower peak."""
MIN_SECOND = 0.3
SECOND_SIGMA = 5.0


def twin_separation(
    wavelength: FloatArray, excess: FloatArray, sigma: FloatArray, fit: ProfileFit, lsf: float
) -> float | None:
    """Angstrom between the two peaks of a double-peaked line; None for a single one."""
    if fit.fwhm < 2.0 * lsf:
        return None
    inside = np.abs(wavelength - fit.centre) < 0.9 * fit.fwhm
    x, height, noise = wavelength[inside], np.sign(fit.amplitude) * excess[inside], sigma[inside]
    if x.size < 7:
        return None
    step = float(np.median(np.diff(x)))
    # Smoothing over a sixth of the width keeps peaks half a width apart, and averages the noise.
    kernel_px = max(0.5 * lsf, fit.fwhm / 6.0) / step
    smooth = smooth_gaussian(height, np.ones(x.size, dtype=np.bool_), kernel_px)
    error = float(np.median(noise)) / np.sqrt(max(1.0, 1.5 * kernel_px))
    left, right = _highest(smooth, x < fit.centre), _highest(smooth, x >= fit.centre)
    if right - left < 2:
        return None
    bottom = float(smooth[left : right + 1].min())
    lower = float(min(smooth[left], smooth[right]))
    dip = lower - bottom
    if dip < max(DIP_SIGMA * error, MIN_DIP * lower) or lower < 0.5 * abs(fit.amplitude):
        return None
    return float(x[right] - x[left])


def second_feature(
    wavelength: FloatArray, excess: FloatArray, sigma: FloatArray, fit: ProfileFit, lsf: float
) -> bool:
    """Whether the fit leaves something that is a line in its own right."""
    near = (fit.centre - 1.5 * fit.fwhm, fit.centre + 1.5 * fit.fwhm)
    left_over = excess - fit.model
    found = strongest(wavelength, left_over, sigma, near, lsf, max(lsf, 0.8 * fit.fwhm))
    return (
        found is not None
        and found.significance > SECOND_SIGMA
        and abs(found.amplitude) > MIN_SECOND * abs(fit.amplitude)
    )


def _highest(values: FloatArray, where: BoolArray) -> int:
    return int(np.argmax(np.where(where, values, -np.inf)))
