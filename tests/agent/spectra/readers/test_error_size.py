from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.readers.error_size import is_error

WAVELENGTH = np.linspace(4000.0, 7000.0, 2000)


@pytest.mark.parametrize("scale", [1e-17, 1.0, 1e6])
@pytest.mark.parametrize("factor", [0.05, 0.5, 1.0, 3.0])
def test_errors_of_about_the_scatter(rng: np.random.Generator, scale: float, factor: float) -> None:
    flux = scale * rng.normal(10.0, 1.0, 2000)
    assert is_error(flux, np.full(2000, factor * scale), WAVELENGTH)


@pytest.mark.parametrize("factor", [1e-6, 0.001, 30.0, 1e9, np.nan, np.inf])
def test_columns_of_another_size(rng: np.random.Generator, factor: float) -> None:
    assert not is_error(rng.normal(10.0, 1.0, 2000), np.full(2000, factor), WAVELENGTH)


def test_the_error_of_a_flat_narrow_window_is_not_the_flux_again(rng: np.random.Generator) -> None:
    wavelength = np.linspace(6500.0, 6600.0, 2000)
    flux = rng.normal(1.0, 0.01, 2000)
    assert is_error(flux, 0.01 * np.sqrt(flux), wavelength)
    assert not is_error(flux, flux * (WAVELENGTH / 6500.0) ** 2 / 30.0, WAVELENGTH)


def test_bad_pixels_and_few_pixels(rng: np.random.Generator) -> None:
    flux, error = rng.normal(10.0, 1.0, 2000), np.ones(2000)
    error[:400] = 0.0
    flux[500:600] = np.nan
    assert is_error(flux, error, WAVELENGTH)
    assert not is_error(flux, np.where(np.arange(2000) < 1500, 0.0, 1.0), WAVELENGTH)
    assert not is_error(flux[:5], error[-5:], WAVELENGTH[:5])
    assert not is_error(np.ones(2000), np.ones(2000), WAVELENGTH)
