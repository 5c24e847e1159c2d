from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.spectrum import FloatArray
from tests.train.simulate.sky.helpers import draws
from train.simulate.source import GRID, Source


def height(flux: FloatArray, centre: float) -> float:
    """Flux within 1500 km/s over that between 12000 and 20000 km/s, both sides."""
    speed = 299_792.458 * np.log(GRID / centre)
    sides = (np.abs(speed) > 12000) & (np.abs(speed) < 20000)
    return float(flux[np.abs(speed) < 1500].mean() / flux[sides].mean())


@pytest.mark.parametrize("rest", [2798.75, 4862.69, 1908.73])
def test_quasar_lines_are_at_one_plus_z(rest: float) -> None:
    heights, elsewhere = [], []
    for source in draws("QSO", count=120):
        centre = rest * (1 + source.z)
        if 4000 < centre < 9000:
            heights.append(height(source.flux, centre))
            elsewhere.append(height(source.flux, centre * 1.09))
    assert len(heights) >= 8
    assert np.median(heights) > 1.1 > np.median(elsewhere)


def line_flux(source: Source, rest: float) -> float:
    """Above a straight continuum, at rest, per angstrom."""
    wavelength = GRID / (1 + source.z)
    near = np.abs(wavelength - rest) < 12
    sides = ~near & (np.abs(wavelength - rest) < 20)
    base = np.polyval(np.polyfit(wavelength[sides], source.flux[sides], 1), wavelength[near])
    return float(np.trapezoid(source.flux[near] - base, wavelength[near]))


def test_oxygen_doublet_has_the_ratio_of_its_transitions() -> None:
    """Both lines leave one level: 2.98 (Storey and Zeippen 2000) whatever the gas is like."""
    galaxies = [s for s in draws("GALAXY", "starforming") if float(s.parameters["ew_alpha"]) > 60]
    ratios = [line_flux(s, 5008.24) / line_flux(s, 4960.29) for s in galaxies]
    assert len(ratios) >= 8
    assert np.median(ratios) == pytest.approx(2.98, rel=0.1)
