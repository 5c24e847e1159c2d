"""Where a star is in the diagram, judging by its parallax: a point, a limit, or nowhere."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path

import numpy as np

from agent.checked_toml import TomlTable, read_toml
from agent.errors import ResourceError
from agent.spectra.spectrum import FloatArray
from app.services.catalogues.answer import Value, finite_number

GOOD_RATIO = 5.0  # parallax over its error from which a distance is 1 / parallax, near enough
LIMIT_SIGMAS = 2.0
HIGH_RUWE = 1.4

FOLDER = Path(__file__).resolve().parents[3] / "resources" / "diagrams"
RELATIONS, BACKGROUND, REGIONS = (
    FOLDER / name for name in ("hr_relations.toml", "hr_background.txt", "hr_regions.toml")
)
COLOURS, MAGNITUDES = (-1.0, 5.5), (-6.0, 18.0)
"""BP-RP and absolute G at the edges of the background."""
COLUMNS, ROWS = 65, 96
MOST = 99  # the largest number in the background
MAX_BYTES = 64 * 1024


class Kind(StrEnum):
    POINT = "point"
    LIMIT = "limit"  # the star is at least so bright
    NO_PARALLAX = "no parallax"
    NO_COLOUR = "no colour"
    NEGATIVE = "negative"  # a parallax so far below zero that it says nothing


@dataclass(frozen=True, kw_only=True)
class Place:
    """Absolute G is without a correction for dust."""

    kind: Kind
    bp_rp: float = math.nan
    m_g: float = math.nan  # Of a limit: the faintest absolute magnitude, two errors off.
    brightest: float = math.nan
    faintest: float = math.nan  # one error to both sides of a point
    parallax: float = math.nan  # with the zero point taken off
    zero_point: float | None = None  # mas; None where it is not known, and nothing is taken off
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
    names = ("parallax", "parallax_error", "g", "bp_rp", "ruwe")
    parallax, error, g, bp_rp, ruwe = (finite_number(values.get(name)) for name in names)
    if parallax is None or error is None or error <= 0.0 or g is None:
        return Place(kind=Kind.NO_PARALLAX, ruwe=ruwe)
    zero = finite_number(values.get("zero_point"))
    parallax -= zero or 0.0
    place = Place(kind=Kind.NEGATIVE, parallax=parallax, error=error, zero_point=zero, ruwe=ruwe)
    if bp_rp is None:
        return replace(place, kind=Kind.NO_COLOUR)
    if parallax >= GOOD_RATIO * error:
        return replace(
            place,
            kind=Kind.POINT,
            bp_rp=bp_rp,
            m_g=_absolute(g, parallax),
            brightest=_absolute(g, parallax - error),
            faintest=_absolute(g, parallax + error),
        )
    largest = parallax + LIMIT_SIGMAS * error
    if largest <= 0.0:
        return place
    return replace(place, kind=Kind.LIMIT, bp_rp=bp_rp, m_g=_absolute(g, largest))


def _absolute(g: float, parallax_mas: float) -> float:
    return g + 5.0 * math.log10(parallax_mas / 100.0)


# The background and the regions of the diagram, as files in resources/diagrams give them; what
# makes the background is packaging/hr_background.py.
@dataclass(frozen=True, kw_only=True)
class Region:
    """Roughly where most stars of a class lie, as a polygon."""

    source: str
    bp_rp: tuple[float, ...]
    m_g: tuple[float, ...]


@cache
def background() -> FloatArray:
    """The background as it is shipped, 0 to 1; rows from bright to faint."""
    lines = BACKGROUND.read_text(encoding="utf-8")[:MAX_BYTES].splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    if len(rows) != ROWS or any(len(row) != COLUMNS for row in rows):
        raise ResourceError(f"{BACKGROUND}: not a table of {ROWS} x {COLUMNS} numbers")
    return np.array(rows, dtype=np.float64) / MOST


@cache
def region_of(task_id: str) -> Region | None:
    """The region of a class by the id of its task; most of a user's own tasks have none."""
    table = read_toml(REGIONS)
    for each in table.tables("regions", at_most=60):
        if each.text("task") == task_id.casefold():
            return Region(
                source=each.text("source", longest=200), bp_rp=colours(each), m_g=magnitudes(each)
            )
    return None


def colours(table: TomlTable) -> tuple[float, ...]:
    return table.numbers("bp_rp", low=-2.0, high=8.0, at_most=60)


def magnitudes(table: TomlTable) -> tuple[float, ...]:
    return table.numbers("m_g", low=-12.0, high=25.0, at_most=60)
