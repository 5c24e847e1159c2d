from __future__ import annotations

import numpy as np
import pytest

from train.simulate.source import GRID
from train.simulate.telescope import night

WAVELENGTH = np.arange(3700.0, 10200.0, 1.0)


def at(values: np.ndarray, wavelength: float) -> float:
    return float(values[np.searchsorted(WAVELENGTH, wavelength)])


def test_oxygen_and_water_absorb_in_their_bands_alone() -> None:
    oxygen, water = night.oxygen_depth(WAVELENGTH), night.water_depth(WAVELENGTH)
    assert at(oxygen, 7608) > 0.9 > 0.1 > at(oxygen, 7000)
    assert at(water, 9375) > 0.7 > 0.05 > at(water, 7608)
    for depth in (oxygen, water):
        assert depth.min() >= 0 and depth.max() < 1 and at(depth, 5500) < 1e-6


def test_sky_lines_have_unit_height_and_drift_like_their_slope() -> None:
    wavelength = np.arange(5500.0, 8500.0, 0.2)
    sigma = night.sigma_angstrom(wavelength, np.full(wavelength.size, 2000.0))
    lines = ((5578.3, 10.0), (8400.4, 3.0))
    profiles, drift = (matrix.toarray() for matrix in night.line_matrices(wavelength, sigma, lines))
    assert profiles.shape == (wavelength.size, 2)
    for number, (centre, _) in enumerate(lines):
        assert wavelength[profiles[:, number].argmax()] == pytest.approx(centre, abs=0.2)
        assert profiles[:, number].max() == pytest.approx(1.0, abs=0.01)
        slope = -np.gradient(profiles[:, number])
        np.testing.assert_allclose(drift[:, number], slope, atol=0.003)
    assert night.heights(lines).tolist() == [10.0, 3.0]


def test_every_line_is_in_the_group_of_its_wavelength() -> None:
    for number, (centre, _) in zip(night.GROUP_OF_LINE, night.SKY_LINES, strict=True):
        low, high = night.LINE_GROUPS[number]
        assert low <= centre < high


def test_moonlight_is_bluer_than_the_sun_and_has_its_lines() -> None:
    light = night.sunlight()
    assert np.interp(5500.0, GRID, light) == pytest.approx(1.0, abs=0.02)
    assert np.interp(4480.0, GRID, light) > np.interp(6700.0, GRID, light)
    assert np.interp(3934.8, GRID, light) < 0.5 * np.interp(3900.0, GRID, light)


def test_dark_sky_is_one_at_its_reference() -> None:
    continuum = night.sky_continuum(WAVELENGTH)
    assert at(continuum, 6750) == pytest.approx(1.0, abs=0.02)
    assert at(continuum, 8645) > 2 * at(continuum, 8500)
