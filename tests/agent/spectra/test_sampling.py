"""Window sums, noise from the flux, smoothing: the arithmetic below every measurement."""

from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.sampling import pixel_edges, sample, scatter
from agent.spectra.smoothing import smooth_box, smooth_gaussian, smooth_kms, smooth_savgol
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import WAVELENGTH

GRID = np.arange(4000.0, 4100.0)


def test_sums_of_a_straight_line_are_exact_between_pixels() -> None:
    spectrum = Spectrum(wavelength=GRID, flux=np.full(GRID.size, 3.0), ivar=np.full(GRID.size, 4.0))
    sampling = sample(spectrum)
    sums = sampling.sums(np.array([4010.2, 4020.0]), np.array([4013.9, 4020.25]))
    assert sums.mean * sampling.scale == pytest.approx([3.0, 3.0])
    assert sums.covered == pytest.approx([3.7, 0.25])
    # Parts 0.3, 1, 1, 1, 0.4 of five pixels with sigma 0.5; a quarter of one.
    expected = 0.5 * np.sqrt([0.3**2 + 3 + 0.4**2, 0.25**2]) / [3.7, 0.25]
    assert sums.error * sampling.scale == pytest.approx(expected)


def test_sums_leave_bad_pixels_out() -> None:
    flux = np.ones(GRID.size)
    flux[15] = 1e6
    mask = np.zeros(GRID.size, dtype=bool)
    mask[15] = True
    sampling = sample(Spectrum(wavelength=GRID, flux=flux, mask=mask))
    sums = sampling.sums(np.array([4010.0]), np.array([4020.0]))
    assert sums.mean == pytest.approx([1.0])
    assert sums.coverage == pytest.approx([0.9])


def test_pixel_edges_meet_halfway() -> None:
    edges = pixel_edges(np.array([1.0, 2.0, 4.0]))
    assert edges.tolist() == [0.5, 1.5, 3.0, 5.0]


def test_noise_from_flux_sees_through_slopes(rng: np.random.Generator) -> None:
    flux = 50.0 * (WAVELENGTH / 5000.0) ** 2 + rng.normal(0, 0.7, WAVELENGTH.size)
    noise = scatter(flux, np.ones(flux.size, dtype=bool))
    assert np.median(noise) == pytest.approx(0.7, rel=0.05)


def test_smoothing_keeps_a_constant_and_skips_bad_pixels() -> None:
    flux = np.full(200, 5.0)
    good = np.ones(200, dtype=bool)
    flux[90:95], good[90:95] = np.nan, False
    for smooth in (
        smooth_box(flux, good, 9),
        smooth_gaussian(flux, good, 7.5),
        smooth_savgol(flux, good, 11),
    ):
        assert smooth == pytest.approx(5.0)


def test_smoothing_adds_widths_in_quadrature() -> None:
    x = np.arange(401.0)
    narrow = np.exp(-4 * np.log(2) * ((x - 200) / 12.0) ** 2)
    wide = smooth_gaussian(narrow, np.ones(401, dtype=bool), 16.0)
    assert (wide > 0.5 * wide.max()).sum() == pytest.approx(20.0, abs=1.0)
    assert wide.sum() == pytest.approx(narrow.sum(), rel=1e-3)


def test_smoothing_in_velocity_is_the_same_on_any_grid() -> None:
    even = np.arange(6000.0, 7200.0, 0.7)
    height = {}
    for name, grid in (("log", WAVELENGTH), ("linear", even)):
        flux = 1.0 + 2.0 * np.exp(-0.5 * ((grid - 6564.6) / 3.0) ** 2)
        smooth = smooth_kms(Spectrum(wavelength=grid, flux=flux), 500.0)
        height[name] = float(smooth.max() - 1.0)
    fwhm = 3.0 * 2.35482 * 299_792.458 / 6564.6
    assert height["log"] == pytest.approx(2.0 * fwhm / np.hypot(fwhm, 500.0), rel=0.02)
    assert height["linear"] == pytest.approx(height["log"], rel=0.02)


def test_hopeless_input_is_answered() -> None:
    nothing = np.zeros(8, dtype=bool)
    flux = np.full(8, np.nan)
    assert np.isnan(smooth_box(flux, nothing, 3)).all()
    assert np.isfinite(smooth_savgol(flux, nothing, 5)).all()
    assert smooth_gaussian(np.ones(8), ~nothing, 1e9) == pytest.approx(1.0)
    assert smooth_box(np.ones(8), ~nothing, 1e12) == pytest.approx(1.0)
    sampling = sample(Spectrum(wavelength=np.array([1.0, 2.0]), flux=np.array([np.inf, np.nan])))
    assert not sampling.is_usable
