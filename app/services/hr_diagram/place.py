"""Where a star is in the diagram, judging by its parallax: a point, a limit, or nowhere."""

from __future__ import annotations

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


# The background and the regions of the diagram, as files in resources/diagrams give them.
@dataclass(frozen=True, kw_only=True)
class Sequence:
    """A line along which stars lie, and how it is drawn."""

    name: str
    source: str
    width: float
    weight: float
    bp_rp: tuple[float, ...]
    m_g: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Region:
    """Roughly where most stars of a class lie, as a polygon."""

    source: str
    bp_rp: tuple[float, ...]
    m_g: tuple[float, ...]


def sequences() -> list[Sequence]:
    table = read_toml(RELATIONS)
    found = [_sequence(each) for each in table.tables("sequences", at_most=20)]
    table.close()
    return found


def density_of(lines: list[Sequence]) -> FloatArray:
    """How densely the lines fill the diagram, 0 to 1; rows from bright to faint, then colours.

    Each line is a chain of Gaussians in magnitude, and narrower ones in colour.
    """
    colour, magnitude = np.meshgrid(_centres(COLOURS, COLUMNS), _centres(MAGNITUDES, ROWS))
    whole = np.zeros_like(colour)
    for line in lines:
        steps = np.linspace(0.0, len(line.bp_rp) - 1.0, 400)
        places = np.arange(len(line.bp_rp))
        x, y = np.interp(steps, places, line.bp_rp), np.interp(steps, places, line.m_g)
        apart = (magnitude[..., None] - y) ** 2 / line.width**2
        apart += (colour[..., None] - x) ** 2 / (0.25 * line.width) ** 2
        whole = np.maximum(whole, line.weight * np.exp(-0.5 * apart.min(axis=-1)))
    return np.asarray(whole / whole.max())


def background_text(lines: list[Sequence]) -> str:
    head = [
        "# Density of stars in the Hertzsprung-Russell diagram of Gaia: schematic, made by",
        "# packaging/hr_background.py of published relations, no sample of stars. Lines from",
        f"# bright to faint, absolute G {MAGNITUDES[0]:g} to {MAGNITUDES[1]:g}; numbers from blue",
        f"# to red, BP-RP {COLOURS[0]:g} to {COLOURS[1]:g}; 0 to {MOST}.",
        *(f"# {line.name}: {line.source}" for line in lines),
    ]
    numbers = np.rint(MOST * density_of(lines)).astype(int)
    return "\n".join([*head, *(" ".join(map(str, row)) for row in numbers)]) + "\n"


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
                source=each.text("source", longest=200), bp_rp=_colours(each), m_g=_magnitudes(each)
            )
    return None


def _sequence(table: TomlTable) -> Sequence:
    made = Sequence(
        name=table.text("name"),
        source=table.text("source", longest=400),
        width=table.number("width", low=0.05, high=3.0),
        weight=table.number("weight", low=0.01, high=1.0),
        bp_rp=_colours(table),
        m_g=_magnitudes(table),
    )
    table.close()
    if len(made.bp_rp) != len(made.m_g):
        raise ResourceError(f"{RELATIONS}: {made.name} has colours and magnitudes of two lengths")
    return made


def _colours(table: TomlTable) -> tuple[float, ...]:
    return table.numbers("bp_rp", low=-2.0, high=8.0, at_most=60)


def _magnitudes(table: TomlTable) -> tuple[float, ...]:
    return table.numbers("m_g", low=-12.0, high=25.0, at_most=60)


def _centres(ends: tuple[float, float], count: int) -> FloatArray:
    step = (ends[1] - ends[0]) / count
    return np.asarray(ends[0] + step * (np.arange(count) + 0.5))
