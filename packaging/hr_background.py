"""Makes resources/diagrams/hr_background.txt of the relations beside it.

`python packaging/hr_background.py`
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agent.checked_toml import TomlTable, read_toml
from agent.errors import ResourceError
from agent.spectra.spectrum import FloatArray
from app.services.hr_diagram.place import (
    BACKGROUND,
    COLOURS,
    COLUMNS,
    MAGNITUDES,
    MOST,
    RELATIONS,
    ROWS,
    colours,
    magnitudes,
)


@dataclass(frozen=True, kw_only=True)
class Sequence:
    """A line along which stars lie, and how it is drawn."""

    name: str
    source: str
    width: float
    weight: float
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


def _sequence(table: TomlTable) -> Sequence:
    made = Sequence(
        name=table.text("name"),
        source=table.text("source", longest=400),
        width=table.number("width", low=0.05, high=3.0),
        weight=table.number("weight", low=0.01, high=1.0),
        bp_rp=colours(table),
        m_g=magnitudes(table),
    )
    table.close()
    if len(made.bp_rp) != len(made.m_g):
        raise ResourceError(f"{RELATIONS}: {made.name} has colours and magnitudes of two lengths")
    return made


def _centres(ends: tuple[float, float], count: int) -> FloatArray:
    step = (ends[1] - ends[0]) / count
    return np.asarray(ends[0] + step * (np.arange(count) + 0.5))


if __name__ == "__main__":
    BACKGROUND.write_text(background_text(sequences()), encoding="utf-8")
    print(f"{BACKGROUND}: made of {len(sequences())} relations")
