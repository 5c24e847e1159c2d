"""Check that a file of each format can be read."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from agent.spectra.readers import read, read_numbered
from agent.spectra.spectrum import Spectrum
from app.selftest.check import Check, require
from app.selftest.installation import sample
from app.selftest.layouts import LAYOUTS

SURVEYS = ("LAMOST", "SDSS", "DESI")
MIN_PIXELS = 3000
MAX_DIFFERENCE = 0.01
"""Largest median difference in flux, relative, after resampling to another grid."""


def checks() -> Iterator[Check]:
    for survey in SURVEYS:
        yield Check(part="read", name=survey, run=partial(_read_survey, survey))
    for name in LAYOUTS:
        yield Check(part="read", name=name, run=partial(_read_layout, name))


def first_of(survey: str) -> Spectrum:
    """The first spectrum of the survey in the sample."""
    with (sample() / "candidates.csv").open(newline="", encoding="utf-8") as file:
        row = next(row for row in csv.DictReader(file) if row["survey"] == survey)
    return read_numbered(sample() / row["file"], int(row["row"] or 0))


def _read_survey(survey: str, folder: Path) -> str:
    spectrum = first_of(survey)
    require(len(spectrum) >= MIN_PIXELS, f"{len(spectrum)} pixels are too few")
    require(spectrum.simulated, "it is not marked as simulated")
    return _describe(spectrum)


def _read_layout(name: str, folder: Path) -> str:
    file_name, write = LAYOUTS[name]
    source = first_of("LAMOST")
    write(folder / file_name, source)
    spectrum = read(folder / file_name)
    low, high = max(source.range[0], spectrum.range[0]), min(source.range[1], spectrum.range[1])
    inside = (spectrum.wavelength > low + 5) & (spectrum.wavelength < high - 5)
    expected = np.interp(spectrum.wavelength[inside], source.wavelength, source.flux)
    require(inside.sum() >= MIN_PIXELS, f"{inside.sum()} pixels are too few")
    gap = float(np.median(np.abs(spectrum.flux[inside] - expected)) / np.median(np.abs(expected)))
    require(gap < MAX_DIFFERENCE, f"the flux is {100 * gap:.1f} % off")
    return _describe(spectrum)


def _describe(spectrum: Spectrum) -> str:
    low, high = spectrum.range
    return f"{spectrum.format}: {len(spectrum)} pixels, {low:.0f} to {high:.0f} Å"
