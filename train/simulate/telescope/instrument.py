"""Arrays computed once per survey, so that a spectrum only costs a few vector products."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.sparse import csr_array

from agent.spectra.spectrum import FloatArray
from train.simulate.telescope import night
from train.simulate.telescope.optics import integrate, pixel_edges
from train.simulate.telescope.surveys import Profile, profile_named

BANDS: dict[str, tuple[float, float]] = {
    "u": (3700, 4000), "g": (4000, 5500), "r": (5500, 6900), "i": (6900, 8200), "z": (8200, 9100),
}  # fmt: skip
CURVE_TERMS = 8


@dataclass(frozen=True, eq=False)
class Instrument:
    """Precomputed arrays of a survey, with one row per pixel of the grid of its profile."""

    profile: Profile
    edges: FloatArray
    sensitivity: FloatArray
    resolution: FloatArray
    sky_continuum: FloatArray
    sky_lines: csr_array
    sky_drift: csr_array
    nebular: csr_array
    oxygen: FloatArray
    water: FloatArray
    moon: FloatArray
    curves: FloatArray


def chebyshev(pixels: int, terms: int = CURVE_TERMS) -> FloatArray:
    """Chebyshev polynomials over the spectrum, (pixels, terms), without the constant.

    Like real calibration errors they are largest at the ends.
    """
    x = np.linspace(-1.0, 1.0, pixels)
    angle = np.arccos(x)
    return np.stack([np.cos(k * angle) for k in range(1, terms + 1)], axis=1)


def _resolution(profile: Profile) -> FloatArray:
    w = profile.wavelength
    resolution = np.zeros_like(w)
    for arm in profile.arms:
        inside = np.clip((w - arm.low) / (arm.high - arm.low), 0, 1)
        own = arm.resolution_low + inside * (arm.resolution_high - arm.resolution_low)
        resolution = np.where((w >= arm.low) & (w <= arm.high) | (resolution == 0), own, resolution)
    return resolution


def pixels_between(wavelength: FloatArray, low: float, high: float) -> slice:
    start, stop = np.searchsorted(wavelength, (low, high))
    return slice(int(start), int(stop))


@cache
def instrument_of(name: str) -> Instrument:
    profile = profile_named(name)
    w = profile.wavelength
    resolution = _resolution(profile)
    sigma = night.sigma_angstrom(w, resolution)
    lines, drift = night.line_matrices(w, sigma, night.SKY_LINES)
    nebular, _ = night.line_matrices(w, sigma, night.NEBULAR_LINES)
    edges = pixel_edges(w)
    knots, values = zip(*profile.sensitivity, strict=True)
    sharpness = resolution.mean() / 2200.0
    return Instrument(
        profile=profile,
        edges=edges,
        sensitivity=np.exp(np.interp(w, knots, np.log(values))),
        resolution=resolution,
        sky_continuum=night.sky_continuum(w),
        # Heights in the table are for R 2200; at a higher resolution a line is narrower and higher.
        sky_lines=csr_array(lines * sharpness),
        sky_drift=csr_array(drift * sharpness),
        nebular=nebular,
        oxygen=night.oxygen_depth(w),
        water=night.water_depth(w),
        moon=integrate(night.sunlight(), edges),
        curves=chebyshev(w.size),
    )
