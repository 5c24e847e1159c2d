"""Where the pixels of HEALPix lie (Górski et al. 2005), numbered in the nested scheme."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MAX_ORDER = 29
SLACK = 1.0001
"""For the error of rounding in a radius."""
MASKS = (
    0x5555555555555555,
    0x3333333333333333,
    0x0F0F0F0F0F0F0F0F,
    0x00FF00FF00FF00FF,
    0x0000FFFF0000FFFF,
    0x00000000FFFFFFFF,
)
"""Of every second bit, of pairs of bits, of fours ..."""
CORNERS = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0))


def pixels_at(order: int, vectors: FloatArray) -> IntArray:
    """The pixel that each unit vector points at."""
    side = 2**order
    height = vectors[:, 2]
    quarter = np.mod(np.arctan2(vectors[:, 1], vectors[:, 0]) / (np.pi / 2.0), 4.0) % 4.0
    # Along the equator pixels lie between lines that rise and lines that fall to the east.
    falling, rising = quarter + 0.5 + 0.75 * height, quarter + 0.5 - 0.75 * height
    across, along = np.floor(falling), np.floor(rising)
    face = np.where(across == along, along % 4 + 4, np.where(across > along, along, across + 8))
    x, y = falling - across, 1.0 - (rising - along)
    # In the polar caps they lie between lines that end at the pole.
    column = np.floor(quarter)
    flat = vectors[:, 0] ** 2 + vectors[:, 1] ** 2
    to_pole = np.sqrt(3.0 * flat / (1.0 + np.abs(height)))
    right, left = (quarter - column) * to_pole, (1.0 - quarter + column) * to_pole
    is_north, is_south = height > 2.0 / 3.0, height < -2.0 / 3.0
    face = np.select([is_north, is_south], [column, column + 8], face).astype(np.int64)
    x = np.select([is_north, is_south], [1.0 - left, right], x)
    y = np.select([is_north, is_south], [1.0 - right, left], y)
    step_x, step_y = (
        np.clip(np.floor(each * side), 0, side - 1).astype(np.int64) for each in (x, y)
    )
    found: IntArray = face * 4**order + (_spread_bits(step_x) | (_spread_bits(step_y) << 1))
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
    face, within = np.divmod(pixels, 4**order)
    x = (_even_bits(within) + across) / 2**order
    y = (_even_bits(within >> 1) + along) / 2**order
    # Rows of faces begin 2, 3 and 4 sides from the north pole; their middles are half a face apart.
    row, column = np.divmod(face, 4)
    from_pole = row + 2 - x - y
    middle = 2 * column + (row != 1)
    # In the polar caps, where a ring is less than one side from its pole, rings get shorter.
    to_pole = np.minimum(np.minimum(from_pole, 4.0 - from_pole), 1.0)
    aside = np.divide(x - y, to_pole, out=np.zeros_like(x), where=to_pole > 0.0)
    longitude = np.pi / 4.0 * (middle + aside)
    cap = to_pole**2 / 3.0
    height = np.where(
        to_pole < 1.0, np.sign(2.0 - from_pole) * (1.0 - cap), (2.0 - from_pole) / 1.5
    )
    # Of a height near 1 the digits that tell the distance from the pole are lost: not of `cap`.
    flat = np.sqrt(np.where(to_pole < 1.0, cap * (2.0 - cap), 1.0 - height**2))
    return np.stack([flat * np.cos(longitude), flat * np.sin(longitude), height], axis=1)


def _even_bits(numbers: IntArray) -> IntArray:
    """Bits 0, 2, 4 ... of each number, moved together."""
    found = numbers & MASKS[0]
    for step, mask in enumerate(MASKS[1:]):
        found = (found | (found >> 2**step)) & mask
    return found


def _spread_bits(numbers: IntArray) -> IntArray:
    """The bits of each number, moved to places 0, 2, 4 ..."""
    found = numbers
    for step, mask in reversed(list(enumerate(MASKS[:-1]))):
        found = (found | (found << 2**step)) & mask
    return found
