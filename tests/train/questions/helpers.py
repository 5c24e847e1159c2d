"""Spectra simple enough that a test knows what must come out, and a library of one."""

from pathlib import Path

import numpy as np

from agent.spectra.spectrum import Spectrum

LINE = 6564.6


def library(folder: Path) -> Path:
    """One white dwarf on paper: a single broad line."""
    folder.mkdir()
    wavelength = np.arange(3650.0, 9200.0, 2.0)
    flux = (5000.0 / wavelength) ** 2 * (1 - 0.6 * np.exp(-0.5 * ((wavelength - 4862) / 60) ** 2))
    np.savetxt(folder / "one.txt", np.column_stack([wavelength, flux]), header="wavelength flux")
    (folder / "MANIFEST.csv").write_text("file,label\none.txt,WD\n", encoding="utf-8")
    return folder


def star(step: float = 1.5, depth: float = 0.5, snr: float = 50.0, **more: object) -> Spectrum:
    """A sloping continuum with one line of 20 A, without noise."""
    wavelength = np.arange(3700.0, 9000.0, step)
    flux = 5.0 * (6000.0 / wavelength) * (1 - depth * gaussian(wavelength, LINE, 8.0))
    values = {"ivar": (snr / flux) ** 2, "resolution": 1800.0, "flux_unit": "counts", **more}
    return Spectrum(wavelength=wavelength, flux=flux, survey="LAMOST", **values)  # type: ignore[arg-type]


def gaussian(wavelength: np.ndarray, centre: float, sigma: float) -> np.ndarray:
    return np.exp(-0.5 * ((wavelength - centre) / sigma) ** 2)
