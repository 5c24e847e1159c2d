"""Other epochs of an object, and other candidates near it on the sky."""

import math
from dataclasses import dataclass

from sqlalchemy import ColumnElement, or_, select

from app.core.database.tables import candidates
from app.core.errors import SessionError
from app.core.session.records import Candidate
from app.core.session.session import Session

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
    found = [_neighbour(candidate, other) for other in session.candidates(wanted)]
    return sorted(found, key=_order)


def nearest(
    session: Session, ra: float, dec: float, radius_arcsec: float
) -> tuple[float, int] | None:
    """The separation in arcsec and the id of the candidate nearest to a position in degrees."""
    return next(iter(_within(session, ra, dec, radius_arcsec / 3600.0)), None)


def separation_arcsec(ra: float, dec: float, other_ra: float, other_dec: float) -> float:
    """Great-circle distance by the haversine formula, exact for small angles; inputs in degrees."""
    half = math.radians
    d_dec, d_ra = half(other_dec - dec) / 2, half(other_ra - ra) / 2
    chord = math.sin(d_dec) ** 2
    chord += math.cos(half(dec)) * math.cos(half(other_dec)) * math.sin(d_ra) ** 2
    return math.degrees(2.0 * math.asin(min(1.0, math.sqrt(chord)))) * 3600.0


def _within(session: Session, ra: float, dec: float, radius: float) -> list[tuple[float, int]]:
    """Separations in arcsec and ids of the candidates within `radius` degrees, nearest first."""
    box = _bounding_box(ra % 360.0, dec, radius + ROUNDING)
    query = select(candidates.c.id, candidates.c.ra, candidates.c.dec).where(*box)
    found = [
        (separation, number)
        for number, other_ra, other_dec in session.database.rows(query)
        if isinstance(other_ra, float)
        and (separation := separation_arcsec(ra, dec, other_ra, other_dec))
        <= radius * 3600.0 + ROUNDING
    ]
    return sorted(found)


def _bounding_box(ra: float, dec: float, radius: float) -> list[ColumnElement[bool]]:
    """A range of declination, and one of right ascension unless it contains a pole."""
    column = candidates.c.dec
    box: list[ColumnElement[bool]] = [column.between(dec - radius, dec + radius)]
    box.append(candidates.c.ra.is_not(None))
    if abs(dec) + radius >= 90.0:
        return box
    reach = math.sin(math.radians(radius)) / math.cos(math.radians(dec))
    half = math.degrees(math.asin(min(1.0, reach))) + ROUNDING
    low, high = ra - half, ra + half
    if half >= 180.0:
        return box
    if low < 0.0:
        return [*box, or_(candidates.c.ra >= low + 360.0, candidates.c.ra <= high)]
    if high > 360.0:
        return [*box, or_(candidates.c.ra >= low, candidates.c.ra <= high - 360.0)]
    return [*box, candidates.c.ra.between(low, high)]


def _neighbour(candidate: Candidate, other: Candidate) -> Neighbour:
    coordinates = (candidate.ra, candidate.dec, other.ra, other.dec)
    known = [value for value in coordinates if value is not None]
    return Neighbour(
        candidate=other,
        separation=separation_arcsec(*known) if len(known) == 4 else None,
        is_same_object=bool(other.object_id) and other.object_id == candidate.object_id,
    )


def _order(neighbour: Neighbour) -> tuple[float, int]:
    separation = neighbour.separation
    return math.inf if separation is None else separation, neighbour.candidate.id
