"""Where a candidate is asked about: its position, its year, and how it moves."""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.core.evidence.store import StoredAnswer
from app.core.session.records import Candidate
from app.services.catalogues.answer import State
from app.services.catalogues.position import Position

EPOCH_COLUMNS = ("ref_epoch", "epoch")
MJD_COLUMNS = ("mjd", "lmjd", "mjd_obs", "mjd-obs")
SURVEY_FILE = re.compile(
    r"(?:spec|med)-([0-9]{5})-\w+_sp[0-9]{2}-[0-9]{3}\b|"  # LAMOST
    r"spec-[0-9]{4,6}-([0-9]{5})-[0-9]+\b|"  # SDSS
    r"spSpec-([0-9]{5})-[0-9]{4}-[0-9]{3}\b"
)
FIRST_MJD, LAST_MJD = 33_000.0, 80_000.0
J2000_MJD, YEAR_D = 51_544.5, 365.25
MOTIONS = "gaia"
"""The service whose proper motions move the positions that other catalogues are asked about."""


def position_of(candidate: Candidate, known: Mapping[str, StoredAnswer]) -> Position | None:
    """The position to ask about; None where the candidate has none on the sky."""
    if candidate.ra is None or candidate.dec is None:
        return None
    pm_ra, pm_dec = _motion(known.get(MOTIONS))
    try:
        at = Position(ra=candidate.ra, dec=candidate.dec, epoch=epoch_of(candidate))
        return replace(at, pm_ra=pm_ra, pm_dec=pm_dec)
    except ValueError:
        return None


def epoch_of(candidate: Candidate) -> float | None:
    """The year of the position: a column of the list, or the date in the name of the spectrum."""
    own = {name.casefold(): value for name, value in candidate.own.items()}
    for name in EPOCH_COLUMNS:
        year = _number(own.get(name))
        if year is not None and 1900.0 <= year <= 2100.0:
            return year
    for name in MJD_COLUMNS:
        mjd = _number(own.get(name))
        if mjd is not None and FIRST_MJD <= mjd <= LAST_MJD:
            return _year(mjd)
    named = SURVEY_FILE.search(candidate.path)
    return None if named is None else _year(float(next(filter(None, named.groups()))))


def _motion(gaia: StoredAnswer | None) -> tuple[float, float]:
    if gaia is None or gaia.answer.state is not State.FOUND or gaia.answer.nearest is None:
        return 0.0, 0.0
    values = gaia.answer.nearest.values
    motion = _number(values.get("pm_ra")), _number(values.get("pm_dec"))
    return (0.0, 0.0) if None in motion else (motion[0] or 0.0, motion[1] or 0.0)


def _year(mjd: float) -> float:
    return 2000.0 + (mjd - J2000_MJD) / YEAR_D


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, float | int):
        return None
    return float(value) if math.isfinite(value) else None
