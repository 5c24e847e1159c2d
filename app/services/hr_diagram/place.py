"""Where a star is in the diagram, judging by its parallax: a point, a limit, or nowhere."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.services.catalogues.answer import Value

GOOD_RATIO = 5.0
"""Parallax over its error from which a distance is 1 / parallax, near enough."""
LIMIT_SIGMAS = 2.0
HIGH_RUWE = 1.4


class Kind(StrEnum):
    POINT = "point"
    LIMIT = "limit"
    """The star is at least so bright."""
    NO_PARALLAX = "no parallax"
    NO_COLOUR = "no colour"
    NEGATIVE = "negative"
    """A parallax so far below zero that it says nothing."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Absolute G is without a correction for dust."""

    kind: Kind
    bp_rp: float = math.nan
    m_g: float = math.nan
    """Of a limit: the faintest absolute magnitude, two errors off."""
    brightest: float = math.nan
    faintest: float = math.nan
    """One error to both sides of a point."""
    parallax: float = math.nan
    error: float = math.nan
    ruwe: float | None = None

    @property
    def ratio(self) -> float:
        return self.parallax / self.error

    @property
    def has_high_ruwe(self) -> bool:
        return self.ruwe is not None and self.ruwe > HIGH_RUWE


def place_of(values: Mapping[str, Value]) -> Place:
    """The place of a star by Gaia's parallax (mas), G and BP-RP."""
    parallax, error = _number(values.get("parallax")), _number(values.get("parallax_error"))
    g, bp_rp, ruwe = (_number(values.get(name)) for name in ("g", "bp_rp", "ruwe"))
    if parallax is None or error is None or error <= 0.0 or g is None:
        return Place(kind=Kind.NO_PARALLAX, ruwe=ruwe)
    if bp_rp is None:
        return Place(kind=Kind.NO_COLOUR, parallax=parallax, error=error, ruwe=ruwe)
    if parallax >= GOOD_RATIO * error:
        return Place(
            kind=Kind.POINT,
            bp_rp=bp_rp,
            m_g=_absolute(g, parallax),
            brightest=_absolute(g, parallax - error),
            faintest=_absolute(g, parallax + error),
            parallax=parallax,
            error=error,
            ruwe=ruwe,
        )
    largest = parallax + LIMIT_SIGMAS * error
    if largest <= 0.0:
        return Place(kind=Kind.NEGATIVE, parallax=parallax, error=error, ruwe=ruwe)
    return Place(
        kind=Kind.LIMIT,
        bp_rp=bp_rp,
        m_g=_absolute(g, largest),
        parallax=parallax,
        error=error,
        ruwe=ruwe,
    )


def _absolute(g: float, parallax_mas: float) -> float:
    return g + 5.0 * math.log10(parallax_mas / 100.0)


def _number(value: Value) -> float | None:
    if isinstance(value, bool) or not isinstance(value, float | int) or not math.isfinite(value):
        return None
    return float(value)
