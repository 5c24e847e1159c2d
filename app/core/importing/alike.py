"""Tells which candidates are there more than once: by their file, or by their place in the sky."""

from __future__ import annotations

import math

import numpy as np
from sqlalchemy import Connection, func, select

from agent.spectra.spectrum import FloatArray
from app.core.database.tables import candidates
from app.core.errors import counted_text
from app.core.session.known_answers import not_known

SAME_PLACE_ARCSEC = 1.0  # fibres and catalogues of one object agree to less
GRID = 1e9  # steps of a unit vector that count as the same point: 0.0002 arcsec


def alike_notes(connection: Connection) -> tuple[str, ...]:
    """Notes on the session as it is now. It takes seconds for a million candidates."""
    given = candidates.c.path, candidates.c.row
    shown = not_known(candidates.c.id)
    several = select(candidates.c.path).where(candidates.c.path != "", shown).group_by(*given)
    twice = several.having(func.count() > 1).subquery()
    files = connection.execute(select(func.count()).select_from(twice)).scalar_one()
    has_place = candidates.c.ra.is_not(None), candidates.c.dec.is_not(None)
    rows = connection.execute(select(candidates.c.ra, candidates.c.dec).where(*has_place, shown))
    near = _near_another(np.array(list(map(tuple, rows)), dtype=np.float64).reshape(-1, 2))
    notes = []
    if files:
        notes.append(f"{counted_text(files, 'file')} given by more than one row")
    if near:
        notes.append(f"{counted_text(near, 'row')} within 1 arcsec of another row")
    return tuple(notes)


def _near_another(positions: FloatArray) -> int:
    """How many of these, in degrees, have another one near."""
    if len(positions) < 2:
        return 0
    from scipy.spatial import cKDTree  # takes a moment to import

    ra, dec = np.radians(positions).T
    vectors = np.stack([np.cos(dec) * np.cos(ra), np.cos(dec) * np.sin(ra), np.sin(dec)], axis=1)
    # Equal points are counted first: a tree of many equal ones would be searched for ever.
    points, counts = np.unique(np.rint(vectors * GRID), axis=0, return_counts=True)
    reach = GRID * 2.0 * math.sin(math.radians(SAME_PLACE_ARCSEC / 3600.0) / 2.0)
    alone = points[counts == 1]
    distance, _ = cKDTree(points).query(alone, k=2, distance_upper_bound=reach)
    return int(counts[counts > 1].sum() + np.isfinite(distance.reshape(-1, 2)[:, 1]).sum())
