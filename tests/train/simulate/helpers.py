"""Sources simple enough that a test knows what must come out."""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from agent.spectra.spectrum import FloatArray
from train.simulate.campaign import Settings
from train.simulate.source import GRID, Source
from train.simulate.truth import TRUTH_FILE

H_ALPHA = 6564.6


def planck(kelvin: float) -> FloatArray:
    x = 1.43877688e8 / GRID
    return (5500.0 / GRID) ** 5 * np.expm1(x[5000] / kelvin) / np.expm1(x / kelvin)


def star(kelvin: float = 7000.0, velocity_kms: float = 0.0, label: str = "A") -> Source:
    """A black body with three absorption lines."""
    flux = planck(kelvin)
    for centre in (4341.7, 4862.7, H_ALPHA):
        flux = flux * (1 - 0.6 * np.exp(-0.5 * ((GRID - centre) / 6.0) ** 2))
    return Source(label=label, subtype="test", flux=flux, velocity_kms=velocity_kms)


def smooth(kelvin: float = 7000.0) -> Source:
    return Source(label="ARTEFACT", subtype="smooth", flux=planck(kelvin))


def flat() -> Source:
    return Source(label="ARTEFACT", subtype="flat", flux=np.ones(GRID.size))


def truth_rows(folder: Path) -> list[dict[str, str]]:
    """The truth table of a campaign."""
    with (folder / TRUTH_FILE).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


SETTINGS = Settings(seed=9, count=14, task="CV", odds=(1, 1))


def write_base(path: Path, kelvin: float, low: float = 3500.0, high: float = 9300.0) -> None:
    wavelength = np.arange(low, high, 1.5)
    flux = np.interp(wavelength, GRID, star(kelvin).flux) * 3e-14
    np.savetxt(path, np.column_stack([wavelength, flux]), header="wavelength flux")


def write_table(folder: Path, rows: Sequence[tuple[str, str]]) -> None:
    lines = ["file,label", *(",".join(row) for row in rows)]
    (folder / "MANIFEST.csv").write_text("\n".join(lines) + "\n")
