"""Lines measured by hand: recorded, withdrawn and listed, never changed.

Wavelengths are vacuum angstrom in the observed frame; EW > 0 is absorption.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, false, insert, select, update

from agent.checked_toml import is_unicode
from app.core.database.tables import candidates, measurements, reviewers
from app.core.errors import SessionError
from app.core.session import verdict_log
from app.core.session.records import Change
from app.core.session.session import MAX_IDS, Session
from app.core.session.stored_opinions import damaged, have_type

MAX_LINE_NAME = 80
NUMBERS = ("ew", "ew_error", "fwhm_kms", "centroid", "snr")
POINTS = ("left_wavelength", "left_flux", "right_wavelength", "right_flux")


@dataclass(frozen=True, kw_only=True)
class HandMeasurement:
    """One line between two points of the continuum, each a wavelength and a flux."""

    line: str  # its name, such as 'Hα'
    ew: float  # equivalent width in angstrom
    ew_error: float | None = None
    fwhm_kms: float | None = None
    centroid: float | None = None  # angstrom
    snr: float | None = None  # of the continuum, per pixel
    left: tuple[float, float]
    right: tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class RecordedMeasurement:
    id: int
    candidate_id: int
    reviewer: str
    at: str  # UTC, ISO 8601
    measurement: HandMeasurement
    is_withdrawn: bool = False


def record_measurement(
    session: Session, candidate_id: int, measurement: HandMeasurement
) -> RecordedMeasurement:
    values = values_of(checked_measurement(measurement))
    with session.database.writing() as connection:
        known = select(candidates.c.id).where(candidates.c.id == candidate_id)
        if connection.execute(known).first() is None:
            raise SessionError(f"there is no candidate {candidate_id}")
        values |= {
            "candidate_id": candidate_id,
            "reviewer_id": verdict_log.reviewer_id(connection, session.reviewer),
            "at": verdict_log.now(),
        }
        made = connection.execute(insert(measurements).values(values).returning(measurements.c.id))
        (recorded,) = _read(connection, measurements.c.id == made.scalar_one())
    return _announce(session, recorded)


def withdraw_measurement(session: Session, number: int) -> RecordedMeasurement:
    """Withdraw a measurement of the session's reviewer; the line stays in the session."""
    with session.database.writing() as connection:
        found = _read(connection, measurements.c.id == number)
        if not found:
            raise SessionError(f"there is no measurement {number}")
        if found[0].reviewer != session.reviewer:
            raise SessionError(f"measurement {number} is one of {found[0].reviewer}")
        is_it = measurements.c.id == number
        connection.execute(update(measurements).where(is_it).values(withdrawn=True))
        (recorded,) = _read(connection, is_it)
    return _announce(session, recorded)


def measurements_of(
    session: Session, candidate_id: int | None = None, *, with_withdrawn: bool = False
) -> list[RecordedMeasurement]:
    """The measurements of one candidate or of all, oldest first."""
    condition = measurements.c.candidate_id == candidate_id
    with session.database.reading() as connection:
        found = _read(connection, ~false() if candidate_id is None else condition)
    return [each for each in found if with_withdrawn or not each.is_withdrawn]


def read_measurements(
    connection: Connection, candidate_ids: Iterable[int]
) -> list[RecordedMeasurement]:
    """The measurements of these candidates that stand, oldest first."""
    ids, found = list(candidate_ids), []
    for start in range(0, len(ids), MAX_IDS):
        condition = measurements.c.candidate_id.in_(ids[start : start + MAX_IDS])
        found += _read(connection, condition & measurements.c.withdrawn.is_(False))
    return found


def checked_measurement(measurement: HandMeasurement) -> HandMeasurement:
    """Return it, or raise a SessionError that says what cannot be kept."""
    line = measurement.line
    if not 0 < len(line) <= MAX_LINE_NAME or not is_unicode(line) or not line.isprintable():
        raise SessionError(f"the name of a line has 1 to {MAX_LINE_NAME} printable characters")
    numbers = values_of(measurement)
    if not all(value is None or math.isfinite(value) for value in _numbers(numbers)):
        raise SessionError("a measurement consists of finite numbers")
    if any((numbers[name] or 0.0) < 0.0 for name in ("ew_error", "fwhm_kms", "centroid")):
        raise SessionError("an error, a width or a wavelength is not negative")
    if not 0.0 < measurement.left[0] < measurement.right[0]:
        raise SessionError("the points of the continuum need wavelengths from left to right")
    return measurement


def values_of(measurement: HandMeasurement) -> dict[str, Any]:
    points = dict(zip(POINTS, (*measurement.left, *measurement.right), strict=True))
    numbers = {name: getattr(measurement, name) for name in NUMBERS}
    return {"line": measurement.line, **numbers, **points, "withdrawn": False}


def measurement_of(row: Row[Any]) -> HandMeasurement:
    """Read the measurement from a table row, which may hold anything in an untrusted session."""
    values = row._mapping
    is_sound = have_type(str, row.line, row.at) and have_type(bool, row.withdrawn)
    is_sound = is_sound and all(isinstance(value, float | int | None) for value in _numbers(values))
    if not is_sound or any(values[name] is None for name in ("ew", *POINTS)):
        raise damaged(f"measurement {row.id}")
    try:
        return checked_measurement(
            HandMeasurement(
                line=row.line,
                left=(row.left_wavelength, row.left_flux),
                right=(row.right_wavelength, row.right_flux),
                **{name: values[name] for name in NUMBERS},
            )
        )
    except SessionError as error:
        raise damaged(f"measurement {row.id}") from error


def _numbers(values: Any) -> list[Any]:
    return [values[name] for name in (*NUMBERS, *POINTS)]


def _read(connection: Connection, condition: ColumnElement[bool]) -> list[RecordedMeasurement]:
    query = (
        select(measurements, reviewers.c.name)
        .join(reviewers, reviewers.c.id == measurements.c.reviewer_id)
        .where(condition)
        .order_by(measurements.c.at, measurements.c.id)
    )
    return [
        RecordedMeasurement(
            id=row.id,
            candidate_id=row.candidate_id,
            reviewer=row.name,
            at=row.at,
            measurement=measurement_of(row),
            is_withdrawn=row.withdrawn,
        )
        for row in connection.execute(query)
    ]


def _announce(session: Session, recorded: RecordedMeasurement) -> RecordedMeasurement:
    touched = frozenset({recorded.candidate_id})
    session.changed.emit(Change(aspect="measurement", candidate_ids=touched))
    return recorded
