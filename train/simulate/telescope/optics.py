"""From GRID to the detector: blur by the resolution, then integrate over each pixel."""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import correlate1d

from agent.spectra import pixel_grid
from agent.spectra.spectrum import FloatArray
from train.simulate.source import GRID, LIGHT_KMS, STEP_KMS

LN_FIRST = float(np.log(GRID[0]))
LN_STEP = STEP_KMS / LIGHT_KMS
MARGIN = 60
"""Grid pixels blurred beyond the ends of an arm: room for the kernel and a Doppler shift."""


@dataclass(frozen=True)
class Arm:
    """A camera, whose resolution is linear in wavelength between its two ends, in angstrom."""

    name: str
    low: float
    high: float
    resolution_low: float
    resolution_high: float


def sigma_pixels(resolution: float, own: float | None = None) -> float:
    """Sigma, in GRID pixels, to blur flux of resolution `own` (None: unlimited) to `resolution`."""
    variance = (1.0 / resolution) ** 2 - (1.0 / own if own else 0.0) ** 2
    return float(np.sqrt(max(variance, 0.0))) / 2.3548 / LN_STEP


def blur(flux: FloatArray, sigma: float) -> FloatArray:
    if sigma < 0.3:
        return flux
    reach = max(int(np.ceil(3.5 * sigma)), 1)
    offsets = np.arange(-reach, reach + 1)
    kernel = np.exp(-0.5 * (offsets / sigma) ** 2)
    return correlate1d(flux, kernel / kernel.sum(), mode="nearest")


def through_arms(
    flux: FloatArray, arms: tuple[Arm, ...], scale: float = 1.0, own: float | None = None
) -> FloatArray:
    """Flux on GRID blurred by the cameras, with a smooth transition where arms overlap.

    Within an arm the Gaussians of its two ends are mixed so that the variance is right in between.
    The error of the shape is far below the noise, and this only costs two passes.
    """
    seen = flux.copy()
    for number, arm in enumerate(arms):
        start = max(int((np.log(arm.low) - LN_FIRST) / LN_STEP) - MARGIN, 0)
        stop = min(int((np.log(arm.high) - LN_FIRST) / LN_STEP) + MARGIN, GRID.size)
        part = flux[start:stop]
        first = sigma_pixels(arm.resolution_low * scale, own)
        last = sigma_pixels(arm.resolution_high * scale, own)
        ramp = np.linspace(0.0, 1.0, part.size)
        blurred = blur(part, first)
        blurred = blurred + ramp * (blur(part, last) - blurred)
        if number == 0:
            seen[start:stop] = blurred
            continue
        # From 0, where the previous arm is used, to 1, where this one is.
        width = max(arms[number - 1].high - arm.low, 1.0)
        weight = np.clip((GRID[start:stop] - arm.low) / width, 0.0, 1.0)
        seen[start:stop] += weight * (blurred - seen[start:stop])
    return seen


def pixel_edges(wavelength: FloatArray) -> FloatArray:
    """Edges of the pixels, half-way between their centres, as positions on GRID; (pixels + 1,)."""
    return (np.log(pixel_grid.pixel_edges(wavelength)) - LN_FIRST) / LN_STEP + 0.5


def integrate(flux: FloatArray, edges: FloatArray, velocity_kms: float = 0.0) -> FloatArray:
    """Mean flux in each pixel of a source that recedes at `velocity_kms`; conserves flux."""
    total = np.empty(flux.size + 1)
    total[0] = 0.0
    np.cumsum(flux, out=total[1:])
    position = np.clip(edges - np.log1p(velocity_kms / LIGHT_KMS) / LN_STEP, 0.0, flux.size - 1e-6)
    cell = position.astype(np.intp)
    upto = total[cell] + (position - cell) * flux[cell]
    return np.diff(upto) / np.maximum(np.diff(position), 1e-9)
