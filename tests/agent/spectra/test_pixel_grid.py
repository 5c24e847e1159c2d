from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.pixel_grid import pixel_edges, pixel_grid, scatter
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import WAVELENGTH

GRID = np.arange(4000.0, 4100.0)


def test_sums_of_a_straight_line_are_exact_between_pixels() -> None:
    spectrum = Spectrum(wavelength=GRID, flux=np.full(GRID.size, 3.0), ivar=np.full(GRID.size, 4.0))
    grid = pixel_grid(spectrum)
    sums = grid.sums(np.array([4010.2, 4020.0]), np.array([4013.9, 4020.25]))
    assert sums.mean * grid.scale == pytest.approx([3.0, 3.0])
    assert sums.covered == pytest.approx([3.7, 0.25])
    # Parts 0.3, 1, 1, 1, 0.4 of five pixels with sigma 0.5; a quarter of one.
    expected = 0.5 * np.sqrt([0.3**2 + 3 + 0.4**2, 0.25**2]) / [3.7, 0.25]
    assert sums.error * grid.scale == pytest.approx(expected)


def test_sums_leave_bad_pixels_out() -> None:
    flux = np.ones(GRID.size)
    flux[15] = 1e6
    mask = np.zeros(GRID.size, dtype=bool)
    mask[15] = True
    grid = pixel_grid(Spectrum(wavelength=GRID, flux=flux, mask=mask))
    sums = grid.sums(np.array([4010.0]), np.array([4020.0]))
    assert sums.mean == pytest.approx([1.0])
    assert sums.coverage == pytest.approx([0.9])


def test_pixel_edges_meet_halfway() -> None:
    edges = pixel_edges(np.array([1.0, 2.0, 4.0]))
    assert edges.tolist() == [0.5, 1.5, 3.0, 5.0]


def test_noise_from_flux_sees_through_slopes(rng: np.random.Generator) -> None:
    flux = 50.0 * (WAVELENGTH / 5000.0) ** 2 + rng.normal(0, 0.7, WAVELENGTH.size)
    noise = scatter(flux, np.ones(flux.size, dtype=bool))
    assert np.median(noise) == pytest.approx(0.7, rel=0.05)


def test_a_spectrum_without_finite_flux_is_not_usable() -> None:
    flux = np.array([np.inf, np.nan])
    assert not pixel_grid(Spectrum(wavelength=np.array([1.0, 2.0]), flux=flux)).is_usable
