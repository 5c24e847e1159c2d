"""Light from other sources: sky and telluric residuals, nebulae, moonlight, neighbouring fibres."""

from __future__ import annotations

import numpy as np

from agent.spectra.spectrum import FloatArray
from train.simulate.source import GRID, LIGHT_KMS, Rng, Source
from train.simulate.telescope import night
from train.simulate.telescope.frame import Frame, happens, log_uniform
from train.simulate.telescope.optics import LN_STEP

_HEIGHTS = night.heights(night.SKY_LINES)
_NEBULAR = night.heights(night.NEBULAR_LINES)
_GROUPS = night.line_groups()


def sky_brightness(frame: Frame, rng: Rng) -> FloatArray:
    """Sky brightness relative to its continuum at 6750 A; line groups vary from night to night."""
    group = np.exp(0.35 * rng.standard_normal(len(night.LINE_GROUPS)))[_GROUPS]
    instrument = frame.instrument
    tilt = rng.uniform(0.0, 1.5)
    frame.record["sky_tilt"] = round(float(tilt), 3)
    continuum = instrument.sky_continuum * (6750.0 / frame.wavelength) ** tilt
    brightness: FloatArray = continuum + instrument.sky_lines @ (_HEIGHTS * group)
    return brightness


def add_sky_line_residuals(frame: Frame, rng: Rng) -> None:
    """Leave over- and under-subtracted lines, and P Cygni pairs where a line drifted."""
    quality = frame.quality
    residual = log_uniform(rng, quality.sky_residual) * frame.sky
    drift = quality.sky_drift_pixels * float(rng.standard_normal()) * frame.sky
    groups = rng.standard_normal((2, len(night.LINE_GROUPS)))[:, _GROUPS]
    each = rng.standard_normal((2, _HEIGHTS.size))
    instrument = frame.instrument
    frame.flux += instrument.sky_lines @ (residual * (groups[0] + 0.5 * each[0]) * _HEIGHTS)
    frame.flux += instrument.sky_drift @ (drift * (1.0 + 0.3 * each[1]) * _HEIGHTS)
    frame.record["sky_left"] = round(float(residual), 5)
    frame.record["sky_drift"] = round(float(drift), 5)


def add_telluric_residuals(frame: Frame, rng: Rng) -> None:
    """Leave oxygen and water absorption, as a standard star from another time and place does."""
    quality = frame.quality
    oxygen, water = quality.telluric_jitter * rng.standard_normal(2)
    if happens(rng, quality.telluric_odds):
        oxygen += rng.uniform(*quality.telluric_left)
        water += rng.uniform(*quality.telluric_left) * rng.uniform(0.1, 1.0)
    frame.flux *= (1.0 - oxygen * frame.instrument.oxygen) * (1.0 - water * frame.instrument.water)
    frame.record["oxygen_left"] = round(float(oxygen), 4)
    frame.record["water_left"] = round(float(water), 4)


def add_nebular_residuals(frame: Frame, rng: Rng) -> None:
    """Leave H II emission of the Galactic disc, which differs between target and sky fibres."""
    if not happens(rng, frame.quality.nebular_odds):
        return
    height = log_uniform(rng, frame.quality.nebular_left) * frame.sky
    height *= 6.0 if happens(rng, 0.5) else -6.0
    ratios = _NEBULAR * np.exp(0.3 * rng.standard_normal(_NEBULAR.size))
    frame.flux += frame.instrument.nebular @ (height * ratios)
    frame.record["nebular"] = round(float(height), 4)


def add_moonlight(frame: Frame, rng: Rng) -> None:
    if not happens(rng, frame.quality.moon_odds):
        return
    fraction = log_uniform(rng, frame.quality.moon_fraction) * min(frame.sky, 3.0)
    frame.flux += fraction * frame.instrument.moon
    frame.record["moon"] = round(float(fraction), 4)


def add_neighbour(
    flux: FloatArray, companion: Source, fraction: float, velocity: float
) -> FloatArray:
    """Flux on GRID plus a second spectrum scaled to `fraction` of its median flux.

    `velocity`, in km/s, is that of the neighbour relative to the target.
    """
    cells = round(np.log1p(velocity / LIGHT_KMS) / LN_STEP)
    foreign = np.roll(companion.flux, cells)
    inside = (max(companion.valid[0], 3700.0) < GRID) & (min(companion.valid[1], 9000.0) > GRID)
    own, other = float(np.median(flux[inside])), float(np.median(foreign[inside]))
    if own <= 0 or other <= 0:
        return flux
    mixed: FloatArray = flux + foreign * (fraction * own / other)
    return mixed
