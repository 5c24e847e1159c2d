"""Draws of the simulated sky and measurements on them."""

from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np

from agent.spectra.measure.indices import measure_index
from agent.spectra.spectrum import Spectrum
from train.simulate.sky import LABELS, draw_source
from train.simulate.source import GRID, Source

ALL = 40
"""Draws of a class."""


@cache
def draws(label: str, subtype: str = "", count: int = ALL) -> tuple[Source, ...]:
    """The first draws of a class, or of one of its subtypes."""
    rng = np.random.default_rng([17, LABELS.index(label)])
    found: list[Source] = []
    for _ in range(2000):
        source = draw_source(label, rng)
        if subtype in ("", source.subtype):
            found.append(source)
        if len(found) == count:
            return tuple(found)
    raise AssertionError(f"{label} {subtype!r} came {len(found)} times in 2000 draws")


def measure(source: Source, index: str) -> float:
    """One index of the noiseless spectrum, at rest."""
    return measure_index(Spectrum(wavelength=GRID / (1 + source.z), flux=source.flux), index).number


def median(sources: tuple[Source, ...], index: str) -> float:
    values = [measure(source, index) for source in sources]
    assert np.isfinite(values).mean() > 0.8
    return float(np.nanmedian(values))


SKY = Path(str(resources.files("train.simulate.sky")))


def kept_lines() -> list[list[str]]:
    text = (SKY / "bands.txt").read_text()
    return [line.split() for line in text.splitlines() if not line.startswith("#")]
