"""Identifying spectra of the same object by position, by content, and as a last resort by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from agent.errors import WorkbenchError
from agent.spectra.pixel_grid import IndexArray
from agent.spectra.spectrum import BoolArray, FloatArray

MATCH_ARCSEC = 3.0
MAX_PAIRS = 50_000_000
"""Most pairs of neighbours; more means that the positions are not usable."""


def directions(ra: FloatArray, dec: FloatArray) -> FloatArray:
    """Unit vectors, (n, 3), of positions in degrees."""
    alpha, delta = np.radians(ra), np.radians(dec)
    cos = np.cos(delta)
    return np.column_stack([cos * np.cos(alpha), cos * np.sin(alpha), np.sin(delta)])


def chord(arcsec: float) -> float:
    """Length of the chord between two directions at this angle."""
    return float(2.0 * np.sin(np.radians(arcsec / 3600.0) / 2.0))


def object_numbers(
    ra: FloatArray,
    dec: FloatArray,
    content: NDArray[np.int64],
    names: Sequence[str],
    arcsec: float = MATCH_ARCSEC,
) -> IndexArray:
    """A number for each spectrum, the same for friends of friends.

    Friends are spectra with positions within `arcsec`, equal contents or, where a spectrum has no
    position, equal names.
    """
    is_placed = np.isfinite(ra) & np.isfinite(dec)
    joined = [
        _near(ra, dec, is_placed, arcsec),
        _alike(content.tolist(), np.ones(content.size, dtype=np.bool_)),
        _alike(names, ~is_placed & np.array([bool(name) for name in names], dtype=np.bool_)),
    ]
    first, second = np.concatenate(joined, axis=1)
    links = coo_array((np.ones(first.size), (first, second)), shape=(ra.size, ra.size))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.intp)


def nearest_within(
    ra: FloatArray, dec: FloatArray, of: FloatArray, arcsec: float = MATCH_ARCSEC
) -> BoolArray:
    """Whether each position is near a direction of `of`; False for an unknown position."""
    found = np.zeros(ra.size, dtype=np.bool_)
    is_placed = np.isfinite(ra) & np.isfinite(dec)
    if of.size and is_placed.any():
        distance, _ = cKDTree(of).query(
            directions(ra[is_placed], dec[is_placed]), distance_upper_bound=chord(arcsec)
        )
        found[is_placed] = np.isfinite(distance)
    return found


def _near(ra: FloatArray, dec: FloatArray, is_placed: BoolArray, arcsec: float) -> IndexArray:
    """Pairs (2, n) of neighbouring spectra; those at the same position are joined to the first."""
    which = np.flatnonzero(is_placed)
    if not which.size:
        return np.empty((2, 0), dtype=np.intp)
    positions, owner = np.unique(np.column_stack([ra, dec])[which], axis=0, return_inverse=True)
    same = _alike(owner.ravel().tolist(), np.ones(which.size, dtype=np.bool_))
    tree = cKDTree(directions(positions[:, 0], positions[:, 1]))
    if tree.count_neighbors(tree, chord(arcsec)) > MAX_PAIRS:
        raise WorkbenchError(
            f"{which.size} positions are within {arcsec:g} arcsec of each other: "
            "are they in degrees?"
        )
    pairs = tree.query_pairs(chord(arcsec), output_type="ndarray")
    one_of = np.zeros(len(positions), dtype=np.intp)
    one_of[owner.ravel()] = which
    return np.concatenate([which[same], one_of[pairs.T]], axis=1)


def _alike(values: Sequence[object], counted: BoolArray) -> IndexArray:
    """Pairs (2, n) of each counted element with the first of the same value."""
    first: dict[object, int] = {}
    pairs = [
        (first.setdefault(values[index], index), index)
        for index in np.flatnonzero(counted).tolist()
    ]
    return np.array(pairs, dtype=np.intp).reshape(-1, 2).T
