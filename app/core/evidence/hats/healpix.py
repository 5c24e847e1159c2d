"""Where the pixels of HEALPix lie, numbered in the nested scheme, by astropy-healpix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MAX_ORDER = 29
SLACK = 1.0001
"""For the error of rounding in a radius."""
CORNERS = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0))


def pixels_at(order: int, vectors: FloatArray) -> IntArray:
    """The pixel that each unit vector points at."""
    from astropy_healpix import xyz_to_healpix  # half a second, for astropy's coordinates

    found: IntArray = xyz_to_healpix(*vectors.T, nside=2**order, order="nested")
    return found


def centres(order: int, pixels: IntArray) -> FloatArray:
    """Unit vectors of the centres; (n, 3)."""
    return _vectors(order, pixels, 0.5, 0.5)


def radii(order: int, pixels: IntArray) -> FloatArray:
    """Radians from each centre within which the whole pixel lies: its farthest corner."""
    middle = centres(order, pixels)
    chords = [np.linalg.norm(_vectors(order, pixels, *at) - middle, axis=1) for at in CORNERS]
    found: FloatArray = 2.0 * np.arcsin(np.minimum(np.max(chords, axis=0) / 2.0, 1.0))
    return SLACK * found


def children(pixels: IntArray, orders: int) -> IntArray:
    """The pixels so many orders finer that each is made of; (n, 4**orders)."""
    found: IntArray = pixels[:, np.newaxis] * 4**orders + np.arange(4**orders)
    return found


def _vectors(order: int, pixels: IntArray, across: float, along: float) -> FloatArray:
    """A place within each pixel, from 0 to 1 along its two axes."""
    from astropy_healpix import healpix_to_xyz

    return np.stack(healpix_to_xyz(pixels, 2**order, across, along, order="nested"), axis=1)
