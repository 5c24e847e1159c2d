"""Other epochs of an object, and other candidates near it on the sky."""

import math
from dataclasses import dataclass
from operator import itemgetter

from sqlalchemy import or_, select

from app.core.database.tables import candidates
from app.core.errors import SessionError
from app.core.session.records import Candidate
from app.core.session.session import Session
from app.services.catalogues.position import arcsec_between, boxes

MAX_RADIUS = 3600.0  # arcsec
MAX_NEIGHBOURS = 100
# Degrees: more than the rounding of a double, far less than any position error.
ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Neighbour:
    """`separation` is in arcsec; None if either object has no position."""

    candidate: Candidate
    separation: float | None
    is_same_object: bool  # the names are equal, so it is another epoch, whatever its position


def neighbours(
    session: Session, candidate: Candidate, radius_arcsec: float = 3.0
) -> list[Neighbour]:
    """Other candidates within the radius or of the same name, nearest first.

    Those without a position come last. Returns up to MAX_NEIGHBOURS of each kind.
    """
    if not 0.0 <= radius_arcsec <= MAX_RADIUS:
        raise SessionError(f"a radius must be from 0 to {MAX_RADIUS:g} arcsec")
    numbers: list[int] = []
    if candidate.ra is not None and candidate.dec is not None:
        near = _within(session, candidate.ra, candidate.dec, radius_arcsec / 3600.0)
        numbers = [number for _, number in near[: MAX_NEIGHBOURS + 1]]
    named = select(candidates.c.id).where(candidates.c.object_id == candidate.object_id)
    if candidate.object_id:
        named = named.order_by(candidates.c.id).limit(MAX_NEIGHBOURS)
        numbers += session.database.scalars(named)
    wanted = [number for number in dict.fromkeys(numbers) if number != candidate.id]
    found = []
    for other in session.candidates(wanted):
        places = (candidate.ra, candidate.dec, other.ra, other.dec)
        known = [value for value in places if value is not None]
        away = arcsec_between(*known) if len(known) == 4 else None
        is_same = bool(other.object_id) and other.object_id == candidate.object_id
        one = Neighbour(candidate=other, separation=away, is_same_object=is_same)
        found.append((math.inf if away is None else away, other.id, one))
    return [one for *_, one in sorted(found, key=itemgetter(0, 1))]


def nearest(
    session: Session, ra: float, dec: float, radius_arcsec: float
) -> tuple[float, int] | None:
    """The separation in arcsec and the id of the candidate nearest to a position in degrees."""
    return next(iter(_within(session, ra, dec, radius_arcsec / 3600.0)), None)


def _within(session: Session, ra: float, dec: float, radius: float) -> list[tuple[float, int]]:
    """Separations in arcsec and ids of the candidates within `radius` degrees, nearest first."""
    box = boxes(ra % 360.0, dec, radius + ROUNDING)
    of_ra = or_(*(candidates.c.ra.between(*each) for each, _ in box))
    query = select(candidates.c.id, candidates.c.ra, candidates.c.dec)
    rows = session.database.rows(query.where(candidates.c.dec.between(*box[0][1]), of_ra))
    found = ((arcsec_between(ra, dec, row.ra, row.dec), row.id) for row in rows)
    return sorted(each for each in found if each[0] <= radius * 3600.0 + ROUNDING)
