"""Joining overlapping arms: weighted by inverse variance where they share a grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.spectra.readers.base import Malformed, Pixels

FloatArray = NDArray[np.float64]

GRID_TOLERANCE = 0.02
"""Arms share a grid when their pixels fall this close to it, in pixels."""
MAX_GRID = 200_000


@dataclass(frozen=True, eq=False)
class Arm:
    """One camera: ivar 0 where the pixel is masked."""

    name: str
    wavelength: FloatArray
    flux: FloatArray
    ivar: FloatArray


def merged(arms: list[Arm]) -> tuple[Pixels, tuple[str, ...]]:
    """One increasing array, and what had to be said about it."""
    for arm in arms:
        steps = np.diff(arm.wavelength)
        if arm.wavelength.size < 2 or not np.isfinite(steps).all() or not (steps > 0).all():
            raise Malformed(f"a DESI file whose {arm.name}_WAVELENGTH does not increase")
    if len(arms) == 1:
        only = arms[0]
        return Pixels(only.wavelength, only.flux, only.ivar), ()
    arms = sorted(arms, key=lambda arm: float(arm.wavelength[0]))
    cells = _cells(arms)
    if cells is None:
        return _cut_in_overlaps(arms), ("the arms share no grid: joined in their overlaps",)
    return _summed(arms, cells), ()


def _cells(arms: list[Arm]) -> list[NDArray[np.int64]] | None:
    """Each pixel's place on the common grid of the first arm; None where there is none."""
    start = arms[0].wavelength[0]
    step = (arms[0].wavelength[-1] - start) / (arms[0].wavelength.size - 1)
    cells = []
    for arm in arms:
        place = (arm.wavelength - start) / step
        nearest = np.rint(place)
        if np.abs(place - nearest).max() > GRID_TOLERANCE or nearest[-1] > MAX_GRID:
            return None
        cells.append(nearest.astype(np.int64))
    return cells


def _summed(arms: list[Arm], cells: list[NDArray[np.int64]]) -> Pixels:
    size = int(max(cell[-1] for cell in cells)) + 1
    weight, weighted, plain, seen, place = np.zeros((5, size))
    for arm, cell in zip(arms, cells, strict=True):
        flux = np.nan_to_num(arm.flux, nan=0.0, posinf=0.0, neginf=0.0)
        weight[cell] += arm.ivar
        weighted[cell] += arm.ivar * flux
        plain[cell] += flux
        seen[cell] += 1
        place[cell] = arm.wavelength
    inside = seen > 0
    weight, weighted, plain = weight[inside], weighted[inside], plain[inside] / seen[inside]
    good = weight > 0
    # Where every arm is masked the plain mean is kept to look at, with ivar 0.
    flux = np.where(good, weighted / np.where(good, weight, 1.0), plain)
    return Pixels(place[inside], flux, weight)


def _cut_in_overlaps(arms: list[Arm]) -> Pixels:
    """Each arm up to the middle of its overlap with the next."""
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
