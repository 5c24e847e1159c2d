"""Line and band profiles, added to grid arrays only where they are not negligible."""

import numpy as np

from agent.spectra.spectrum import FloatArray
from train.simulate.sky.physics import LN_STEP, SIZE, pixel
from train.simulate.source import GRID, STEP_KMS


def _window(centre: float, half_width: float) -> slice:
    """Grid pixels within `half_width` pixels of `centre`; empty off the grid."""
    low = max(int(centre - half_width), 0)
    high = min(int(centre + half_width) + 2, SIZE)
    return slice(low, max(high, low))


def add_gaussian(out: FloatArray, wavelength: float, area: float, fwhm_kms: float) -> None:
    """Add a Gaussian of `area` angstrom (equivalent width, or integrated depth)."""
    centre = pixel(wavelength)
    sigma = max(fwhm_kms / 2.3548 / STEP_KMS, 0.6)
    window = _window(centre, 5 * sigma)
    x = (np.arange(window.start, window.stop) - centre) / sigma
    step = wavelength * LN_STEP
    out[window] += area / (sigma * step * 2.50663) * np.exp(-0.5 * x * x)


def add_double(
    out: FloatArray, wavelength: float, area: float, fwhm_kms: float, split: float, skew: float
) -> None:
    """Add a line with two peaks `split` * FWHM apart; `skew` (-1 to 1) makes one of them higher."""
    half = 0.5 * split * fwhm_kms / 299_792.458
    each = fwhm_kms * np.sqrt(max(1.0 - 0.9 * split, 0.1))
    add_gaussian(out, wavelength * (1 - half), area * 0.5 * (1 - skew), each)
    add_gaussian(out, wavelength * (1 + half), area * 0.5 * (1 + skew), each)


def add_stark(
    out: FloatArray, wavelength: float, depth: float, half_width: float, power: float
) -> None:
    """Add depth / (1 + (|dl| / half_width)**power), as for hydrogen in hot photospheres; angstrom.

    The wing is cut where it falls to 0.5 % of the core, and lowered so that it ends at zero.
    """
    reach = half_width * 199.0 ** (1.0 / power)
    window = _window(pixel(wavelength), reach / (wavelength * LN_STEP))
    x = np.abs(GRID[window] - wavelength) / half_width
    out[window] += depth * np.clip(1.0 / (1.0 + x**power) - 0.005, 0.0, None)


def stark_half_width(area: float, depth: float, power: float) -> float:
    """Half width, in angstrom, of an `add_stark` profile with this area."""
    return area * power * np.sin(np.pi / power) / (2 * np.pi * depth)


def head_profile(offset: FloatArray, length: float, shaded: str) -> FloatArray:
    """Optical depth, 1 at the head, of a band at `offset` angstrom from its head.

    It is a sharp edge that fades over `length`, or for "complex" a Gaussian of that sigma.
    """
    if shaded == "complex":
        return np.exp(-0.5 * (offset / length) ** 2)
    x = offset if shaded == "red" else -offset
    edge = 1.0 / (1.0 + np.exp(np.clip(-x / 0.8, -30, 30)))
    return edge * np.exp(-np.clip(x, 0.0, None) / length)


def add_head(out: FloatArray, wavelength: float, tau: float, length: float, shaded: str) -> None:
    """Add a band of optical depth `tau` at its head."""
    reach = 7 * length / (wavelength * LN_STEP)
    shift = {"red": reach / 2, "violet": -reach / 2, "complex": 0.0}[shaded]
    window = _window(pixel(wavelength) + shift, reach / 2 + 8)
    out[window] += tau * head_profile(GRID[window] - wavelength, length, shaded)
