"""Photon, sky and read-out noise: its size, its correlation, and the variance the file states."""

from __future__ import annotations

import numpy as np

from agent.spectra.spectrum import FloatArray
from train.simulate.source import Rng
from train.simulate.telescope.calibration import smooth_curve
from train.simulate.telescope.frame import Frame, log_uniform
from train.simulate.telescope.surveys import Profile

FLOOR = 1e-9
Electrons = tuple[float, float, float]
"""Per pixel at 6500 A, of the object and the sky, and the read-out variance."""


def electrons_for_snr(snr: float, background: float) -> float:
    """Object electrons per pixel that give this S/N over a Poisson variance of `background`."""
    return 0.5 * (snr**2 + float(np.sqrt(snr**4 + 4.0 * snr**2 * background)))


def draw_exposure(profile: Profile, snr: float, rng: Rng) -> Electrons:
    sky = log_uniform(rng, profile.sky_electrons)
    read = float(rng.uniform(*profile.read_variance))
    return electrons_for_snr(snr, sky + read), sky, read


def stated_variance(
    flux: FloatArray, sensitivity: FloatArray, brightness: FloatArray, electrons: Electrons
) -> FloatArray:
    """sigma^2 = a F + b(lambda) in units of the r-band flux; b is sky and read-out noise."""
    target, sky, read = electrons
    counts = sensitivity * (np.maximum(flux, 0.0) * target + brightness * sky) + read
    return counts / (sensitivity * target) ** 2


def set_snr(frame: Frame) -> None:
    """Scale the variance to the requested median S/N per pixel in the r band."""
    reference = frame.reference
    current = float(np.median(frame.flux[reference] / np.sqrt(frame.variance[reference])))
    if current > FLOOR:
        frame.variance *= (current / frame.snr) ** 2


def correlated(rng: Rng, pixels: int, neighbours: tuple[float, float]) -> FloatArray:
    """Noise of unit variance in which each pixel is mixed with its two neighbours on each side."""
    one, two = neighbours
    white = rng.standard_normal(pixels + 4)
    if one == 0.0 and two == 0.0:
        return white[2:-2]
    mixed = white[2:-2] + one * (white[1:-3] + white[3:-1]) + two * (white[:-4] + white[4:])
    return mixed / np.sqrt(1.0 + 2.0 * one * one + 2.0 * two * two)


def rounded_to_12_bits(values: FloatArray) -> FloatArray:
    """Values rounded to 12 bits: weights are not known better than 1e-4, and files get smaller."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + np.uint32(1 << 10)) & np.uint32(0xFFFFF800)).view(np.float32).astype(np.float64)


def add_noise(frame: Frame, rng: Rng) -> None:
    """Add noise whose size differs smoothly from the stated variance, as in real files."""
    profile = frame.instrument.profile
    level = profile.noise_over_reported[0] + profile.noise_over_reported[1] * rng.standard_normal()
    truth = np.exp(level + smooth_curve(rng, frame.instrument.curves, frame.quality.ivar_spread))
    noise = correlated(rng, frame.flux.size, profile.correlation)
    frame.flux += noise * truth * np.sqrt(frame.variance)
    frame.record["noise_over_stated"] = round(float(np.exp(level)), 3)
