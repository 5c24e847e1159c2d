"""A value of a catalogue by its name, as claims ask for it: with its error, or why not."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.core.session.evidence_services import SEPARATION
from app.core.session.stored_opinions import damaged
from app.services.catalogues.answer import Answer, Match, State, Value, finite_number
from app.services.catalogues.service import all_services
from app.services.hr_diagram.place import Kind, place_of
from app.services.photometry.bands import is_limit

ABSOLUTE = "gaia.m_g"
"""Worked out here of G and the parallax; no filter knows it."""

MAX_MATCHES = 1000
MAX_TEXT = 2**20
MAX_VALUES = 200
MAX_NUMBER = 2**64  # Of whole numbers, as catalogues have them; a longer one is no float.


class Gap(StrEnum):
    """Why there is no value."""

    NOT_ASKED = "not_asked"
    FAILED = "failed"
    NOTHING = "nothing"  # the service answered that it has nothing there
    NO_VALUE = "no_value"  # it knows the object, without this value
    POOR_PARALLAX = "poor_parallax"
    UNKNOWN = "unknown"
    """No service of ours has a value of this name, and no catalogue that was matched."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """What the nearest match says."""

    value: float | str
    error: float = 0.0
    is_faintest: bool = False  # Whether it is a limit: the true value is this, or any smaller.
    matches: int = 1  # how many objects are within the radius


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
    error = finite_number(match.values.get(f"{column}_error")) or 0.0
    return Said(value=float(value), error=max(error, 0.0), matches=count)


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
    error = 0.5 * (place.faintest - place.brightest) if place.kind is Kind.POINT else 0.0
    error = math.hypot(error, finite_number(values.get("g_error")) or 0.0)
    is_faintest = place.kind is Kind.LIMIT
    return Said(value=place.m_g, error=error, is_faintest=is_faintest, matches=count)


def _is_known(service: str, column: str) -> bool:
    known = all_services().get(service)
    if known is None:
        return False
    names = {each.name for each in known.columns}
    return column in names or column == SEPARATION or f"{service}.{column}" == ABSOLUTE


# Matches of a catalogue as JSON, as the session keeps them.
def matches_text(matches: Sequence[Match]) -> str:
    """Nearest first; filters read the values of the first one by name.

    The farthest are left out where a server sends more than can be read back.
    """
    records = [
        {"separation_arcsec": each.separation_arcsec, "values": dict(each.values)}
        for each in matches[:MAX_MATCHES]
    ]
    while True:
        text = json.dumps(records, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        if len(text) <= MAX_TEXT or len(records) <= 1:
            return text
        records = records[: len(records) // 2]


def matches_from(text: object) -> tuple[Match, ...]:
    """Raises SessionError: a stranger's session may hold anything."""
    if not isinstance(text, str) or len(text) > MAX_TEXT:
        raise damaged("the evidence about a candidate")
    try:
        records = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise damaged("the evidence about a candidate") from error
    if not isinstance(records, list) or len(records) > MAX_MATCHES:
        raise damaged("the evidence about a candidate")
    return tuple(map(_match, records))


def _match(record: object) -> Match:
    known: Any = record if isinstance(record, dict) else {}
    values, apart = known.get("values"), known.get("separation_arcsec")
    is_sound = isinstance(values, dict) and len(values) <= MAX_VALUES
    is_sound = is_sound and isinstance(apart, float | int) and _is_value(apart)
    if not is_sound or not all(map(_is_value, values.values())):
        raise damaged("the evidence about a candidate")
    return Match(values=values, separation_arcsec=float(apart))


def _is_value(value: Value | object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) <= MAX_NUMBER
    return value is None or isinstance(value, str)
