"""Errors of the relative flux: smooth curves, a poor blue end, and joins between the cameras."""

from __future__ import annotations

import numpy as np

from agent.spectra.spectrum import FloatArray
from train.simulate.source import Rng
from train.simulate.telescope.frame import Frame, happens
from train.simulate.telescope.instrument import CURVE_TERMS

_FALL = 1.0 / np.arange(1, CURVE_TERMS + 1) ** 1.4


def smooth_curve(rng: Rng, curves: FloatArray, sigma: float) -> FloatArray:
    """A random smooth curve around 0; `sigma` is that of its lowest and largest term."""
    return curves @ (sigma * _FALL * rng.standard_normal(CURVE_TERMS))


def add_calibration_error(frame: Frame, rng: Rng) -> None:
    quality, w = frame.quality, frame.wavelength
    sigma = quality.calibration
    if happens(rng, quality.calibration_tail_odds):
        sigma *= quality.calibration_tail
    error = smooth_curve(rng, frame.instrument.curves, sigma)
    blue = quality.blue_error * float(rng.standard_normal())
    edge = int(np.searchsorted(w, 4000.0))
    error[:edge] += blue * ((4000.0 - w[:edge]) / 300.0) ** 1.5
    _scale(frame, np.exp(error))
    frame.record["calibration_end_to_end"] = round(float(np.expm1(error[-1] - error[edge])), 4)
    frame.record["calibration_blue"] = round(blue, 4)


def add_join_steps(frame: Frame, rng: Rng) -> None:
    """Add a step and a change of slope where two cameras join."""
    quality, w = frame.quality, frame.wavelength
    for number, join in enumerate(frame.instrument.profile.joins):
        step = float(np.clip(quality.join_step * rng.standard_t(4), -0.3, 0.3))
        slope = quality.join_slope * float(rng.standard_normal())
        width = rng.uniform(3.0, 40.0)
        wavelength = join + rng.uniform(-60.0, 60.0)
        start = int(np.searchsorted(w, wavelength - 4 * width))
        after = w[start:]
        ramp = 1.0 / (1.0 + np.exp(-(after - wavelength) / width))
        factor = np.ones_like(w)
        factor[start:] = (1.0 + step * ramp) * (1.0 + slope * ramp * (after / wavelength - 1.0))
        if happens(rng, quality.join_bump_odds):
            factor *= _join_bump(frame, rng, wavelength, number)
        _scale(frame, factor)
        frame.record[f"join_step_{number}"] = round(step, 4)


def _join_bump(frame: Frame, rng: Rng, wavelength: float, number: int) -> FloatArray:
    """Factor of a bump or dip redward of a join, steep on its blue side; sometimes a spike."""
    height = rng.uniform(*frame.quality.join_bump) * (1.0 if happens(rng, 0.75) else -1.0)
    centre = wavelength + rng.uniform(30.0, 170.0)
    offset = frame.wavelength - centre
    sharp = 0.12 if happens(rng, 0.15) else 1.0
    rise, fall = sharp * rng.uniform(12.0, 40.0), sharp * rng.uniform(30.0, 90.0)
    width = np.where(offset < 0, rise, fall)
    frame.record[f"join_bump_{number}"] = round(float(height), 3)
    return 1.0 + height * np.exp(-0.5 * (offset / width) ** 2)


def _scale(frame: Frame, factor: FloatArray) -> None:
    frame.flux *= factor
    frame.variance *= factor * factor
