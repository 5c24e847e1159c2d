"""Joins overlapping arms: a mean weighted by inverse variance if they share a grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.spectra.readers.base import Malformed, Pixels
from agent.spectra.spectrum import FloatArray

GRID_TOLERANCE = 0.02  # largest distance of an arm's pixels from a shared grid, in pixels
MAX_GRID = 200_000


@dataclass(frozen=True, eq=False)
class Arm:
    """One camera; ivar is 0 for masked pixels."""

    name: str
    wavelength: FloatArray
    flux: FloatArray
    ivar: FloatArray


def merge_arms(arms: list[Arm]) -> tuple[Pixels, tuple[str, ...]]:
    """One spectrum with increasing wavelengths, and notes about it."""
    for arm in arms:
        steps = np.diff(arm.wavelength)
        if arm.wavelength.size < 2 or not np.isfinite(steps).all() or not (steps > 0).all():
            raise Malformed(f"a DESI file whose {arm.name}_WAVELENGTH does not increase")
    if len(arms) == 1:
        only = arms[0]
        return Pixels(only.wavelength, only.flux, only.ivar), ()
    arms = sorted(arms, key=lambda arm: float(arm.wavelength[0]))
    indices = _grid_indices(arms)
    if indices is None:
        return _cut_in_overlaps(arms), ("the arms share no grid: joined in their overlaps",)
    return _coadded(arms, indices), ()


def _grid_indices(arms: list[Arm]) -> list[NDArray[np.int64]] | None:
    """Index of each pixel on the grid of the first arm; None if the arms do not share it."""
    start = arms[0].wavelength[0]
    step = (arms[0].wavelength[-1] - start) / (arms[0].wavelength.size - 1)
    indices = []
    for arm in arms:
        exact = (arm.wavelength - start) / step
        nearest = np.rint(exact)
        if np.abs(exact - nearest).max() > GRID_TOLERANCE or nearest[-1] > MAX_GRID:
            return None
        indices.append(nearest.astype(np.int64))
    return indices


def _coadded(arms: list[Arm], indices: list[NDArray[np.int64]]) -> Pixels:
    size = int(max(index[-1] for index in indices)) + 1
    weight, weighted, plain, n_arms, wavelength = np.zeros((5, size))
    for arm, index in zip(arms, indices, strict=True):
        flux = np.nan_to_num(arm.flux, nan=0.0, posinf=0.0, neginf=0.0)
        weight[index] += arm.ivar
        weighted[index] += arm.ivar * flux
        plain[index] += flux
        n_arms[index] += 1
        wavelength[index] = arm.wavelength
    inside = n_arms > 0
    weight, weighted, plain = weight[inside], weighted[inside], plain[inside] / n_arms[inside]
    good = weight > 0
    # Where every arm is masked, the unweighted mean is shown, with ivar 0.
    flux = np.where(good, weighted / np.where(good, weight, 1.0), plain)
    return Pixels(wavelength[inside], flux, weight)


def _cut_in_overlaps(arms: list[Arm]) -> Pixels:
    """Use each arm up to the middle of its overlap with the next."""
    low = 0.0
    kept: list[tuple[FloatArray, FloatArray, FloatArray]] = []
    for number, arm in enumerate(arms):
        last = number + 1 == len(arms)
        high = np.inf if last else (arm.wavelength[-1] + arms[number + 1].wavelength[0]) / 2
        inside = (arm.wavelength >= low) & (arm.wavelength < high)
        kept.append((arm.wavelength[inside], arm.flux[inside], arm.ivar[inside]))
        low = high
    wavelength, flux, ivar = (np.concatenate(column) for column in zip(*kept, strict=True))
    return Pixels(wavelength, flux, ivar)
