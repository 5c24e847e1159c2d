"""Simulated noise beside that of real files, where they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from agent.spectra.readers import read
from agent.spectra.spectrum import FloatArray
from tests.train.simulate.helpers import smooth
from train.simulate.telescope.instrument import pixels_between
from train.simulate.telescope.telescope import observe

WINDOWS = ((4300.0, 4700.0), (5000.0, 5400.0), (6000.0, 6250.0))


def noise_measures(wavelength: FloatArray, flux: FloatArray, ivar: FloatArray) -> Iterator[float]:
    """Scatter over stated error in windows where noise rules, from third differences."""
    for limits in WINDOWS:
        window = pixels_between(wavelength, *limits)
        good = ivar[window] > 0
        if good.sum() < 100:
            continue
        pull = flux[window][good] * np.sqrt(ivar[window][good])
        if not 3 < np.median(pull) < 45:
            continue  # brighter, the star's own lines are larger than the noise
        differences = np.diff(pull, 3) / np.sqrt(20.0)
        yield float(1.4826 * np.median(np.abs(differences)))


@pytest.mark.parametrize("survey", ["LAMOST", "SDSS"])
def test_scatter_over_stated_error_is_as_in_real_files(
    real_spectra: Path, rng: np.random.Generator, survey: str
) -> None:
    pattern = "spec-5*" if survey == "LAMOST" else "spec-[0-36]*"
    real = []
    for path in sorted(real_spectra.glob(pattern)):
        if ".fits" not in path.name:
            continue
        spectrum = read(path)
        if spectrum.survey == survey and spectrum.ivar is not None:
            real += list(noise_measures(spectrum.wavelength, spectrum.flux, spectrum.ivar))
    assert len(real) >= 5
    simulated = []
    for _ in range(20):
        seen = observe(smooth(), survey, rng, snr=20.0, release="DR8")
        simulated += list(noise_measures(seen.wavelength, seen.flux, seen.ivar))
    assert np.median(simulated) == pytest.approx(np.median(real), rel=0.2)
