"""Simulated stars that pose as a library of real ones."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from agent.spectra.measure.features import feature_names
from agent.spectra.spectrum import FloatArray, Spectrum
from train.simulate.realism.library import Library
from train.simulate.realism.realism import PairedLibrary, SpectrumPair, observe_like, pair_library
from train.simulate.sky import draw_source

WAVELENGTH = np.arange(3900.0, 9000.0, 2.0)
CLASSES = ("A", "B")
OF_CLASS = 12
PER_REAL = 6

Defect = Callable[[FloatArray], FloatArray]


def no_defect(flux: FloatArray) -> FloatArray:
    return flux


def sodium(flux: FloatArray) -> FloatArray:
    """An absorption no A or B star of ours has so deep."""
    return flux * (1 - 0.35 * np.exp(-0.5 * ((WAVELENGTH - 5894.0) / 6.0) ** 2))


def write_library(folder: Path, defect: Defect, classes: Sequence[str] = CLASSES) -> Path:
    folder.mkdir()
    rng = np.random.default_rng(11)
    noise = 1 + rng.standard_normal(WAVELENGTH.size) / 60
    template = Spectrum(wavelength=WAVELENGTH, flux=noise)
    rows = ["file,label"]
    for label in classes:
        for number in range(OF_CLASS):
            seen = observe_like(draw_source(label, rng), template, rng)
            name = f"{label}{number}.txt"
            flux = defect(seen.flux) * 1e-15
            np.savetxt(folder / name, np.column_stack([WAVELENGTH, flux]), header="wavelength flux")
            rows.append(f"{name},{label}")
    (folder / "MANIFEST.csv").write_text("\n".join(rows) + "\n")
    return folder


def met(folder: Path) -> PairedLibrary:
    return pair_library(Library(folder), PER_REAL, seed=3)


def fake(label: str, survey: str, rng: np.random.Generator) -> SpectrumPair:
    """Numbers without meaning."""
    rows = rng.normal(size=(9, len(feature_names())))
    return SpectrumPair("x", survey, label, rows[0], rows[1:])


@pytest.fixture(scope="session")
def alike(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_library(tmp_path_factory.mktemp("alike") / "stars", no_defect)
