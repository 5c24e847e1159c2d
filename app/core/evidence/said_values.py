"""A value of a catalogue by its name, as claims ask for it: with its error, or why not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.core.session.evidence_services import SEPARATION
from app.services.catalogues.answer import Answer, State
from app.services.catalogues.service import all_services
from app.services.hr_diagram.place import Kind, place_of
from app.services.photometry.bands import is_limit

ABSOLUTE = "gaia.m_g"
"""Worked out here of G and the parallax, without a correction for dust; no filter knows it."""


class Gap(StrEnum):
    """Why there is no value."""

    NOT_ASKED = "not_asked"
    FAILED = "failed"
    NOTHING = "nothing"
    """The service answered that it has nothing there."""
    NO_VALUE = "no_value"
    """It knows the object, without this value."""
    POOR_PARALLAX = "poor_parallax"
    UNKNOWN = "unknown"
    """No service of ours has a value of this name, and no catalogue that was matched."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """What the nearest match says."""

    value: float | str
    error: float = 0.0
    is_faintest: bool = False
    """Whether it is a limit: the true value is this, or any smaller."""
    matches: int = 1
    """How many objects are within the radius."""


def said_of(answers: Mapping[str, Answer], name: str) -> Said | Gap:
    """What `service.column` says of the object that the answers are about."""
    service, _, column = name.partition(".")
    answer = answers.get(service)
    if answer is None or answer.state in (State.NOT_ASKED, State.ASKING):
        return Gap.NOT_ASKED if _is_known(service, column) else Gap.UNKNOWN
    if answer.state is State.FAILED:
        return Gap.FAILED
    match = answer.nearest
    if match is None:
        return Gap.NOTHING
    count = len(answer.matches)
    if name == ABSOLUTE:
        return _absolute(match.values, count)
    value = match.separation_arcsec if column == SEPARATION else match.values.get(column)
    if isinstance(value, bool) or value is None or is_limit(service, column, match.values):
        return Gap.NO_VALUE
    if isinstance(value, str):
        return Said(value=value, matches=count)
    error = match.values.get(f"{column}_error")
    return Said(value=float(value), error=_positive(error), matches=count)


def difference(first: Said | Gap, second: Said | Gap) -> Said | Gap:
    """The first value less the second, such as a colour; a gap of either is that of both."""
    for each in (first, second):
        if isinstance(each, Gap):
            return each
    assert isinstance(first, Said) and isinstance(second, Said)
    if isinstance(first.value, str) or isinstance(second.value, str) or second.is_faintest:
        return Gap.NO_VALUE
    return Said(
        value=first.value - second.value,
        error=math.hypot(first.error, second.error),
        is_faintest=first.is_faintest,
        matches=max(first.matches, second.matches),
    )


def _absolute(values: Mapping[str, float | int | str | None], count: int) -> Said | Gap:
    place = place_of({"bp_rp": 0.0, **{k: v for k, v in values.items() if v is not None}})
    if place.kind is Kind.NO_PARALLAX:
        return Gap.NO_VALUE
    # A companion or a neighbour disturbs the fit of the motion, and with it the parallax.
    if place.kind is Kind.NEGATIVE or place.has_high_ruwe:
        return Gap.POOR_PARALLAX
    error = 0.0
    if place.kind is Kind.POINT:
        error = 0.5 * (place.faintest - place.brightest)
    is_faintest = place.kind is Kind.LIMIT
    return Said(value=place.m_g, error=error, is_faintest=is_faintest, matches=count)


def _is_known(service: str, column: str) -> bool:
    known = all_services().get(service)
    if known is None:
        return False
    names = {each.name for each in known.columns}
    return column in names or column == SEPARATION or f"{service}.{column}" == ABSOLUTE


def _positive(error: object) -> float:
    if isinstance(error, bool) or not isinstance(error, float | int):
        return 0.0
    return float(error) if math.isfinite(error) and error > 0.0 else 0.0
