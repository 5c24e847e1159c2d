"""The misfit of a template at many trial velocities."""

from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.matching.velocity_scan import prepare, scan, stretches
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.matching.made import SDSS_PIXELS, bundled, observed

LIGHT_KMS = 299_792.458
ORDER = 6
AROUND = stretches(1.0 - 1000.0 / LIGHT_KMS, 1.0 + 1000.0 / LIGHT_KMS, 50.0)


def test_trial_velocities_are_equally_spaced_in_log_wavelength() -> None:
    steps = np.diff(np.log(AROUND)) * LIGHT_KMS
    assert np.ptp(steps) < 1e-6
    assert steps[0] == pytest.approx(50.0, rel=0.02)


def test_chi2_is_that_of_a_direct_fit() -> None:
    data = prepare(observed("g_dwarf", 200.0, 20.0, 0), ORDER)
    assert data is not None
    wavelength, flux = bundled("g_dwarf")
    trial = np.array([1.0, 1.0007])
    found = scan(data, wavelength, flux, trial)
    for stretch, chi2 in zip(trial, found.chi2, strict=True):
        model = np.interp(data.wavelength / stretch, wavelength, flux)
        columns = (model * data.polynomials[: ORDER + 1] * np.sqrt(data.weight)).T
        wanted = data.flux * np.sqrt(data.weight)
        _, residual, _, _ = np.linalg.lstsq(columns, wanted, rcond=None)
        assert chi2 == pytest.approx(float(residual[0]), rel=1e-5)


def test_bad_pixels_and_the_air_of_the_earth_are_left_out() -> None:
    data = prepare(observed("a_dwarf", 0.0, 20.0, 0, bad=(5000.0, 5100.0)), ORDER)
    assert data is not None
    assert not ((data.wavelength > 5000.0) & (data.wavelength < 5100.0)).any()
    assert not ((data.wavelength > 7600.0) & (data.wavelength < 7650.0)).any()
    assert np.abs(data.flux).max() < 100.0


def test_a_gap_in_the_template_is_not_bridged() -> None:
    data = prepare(observed("a_dwarf", 0.0, 20.0, 0), ORDER)
    assert data is not None
    wavelength, flux = bundled("a_dwarf")
    kept = (wavelength < 4300.0) | (wavelength > 4900.0)
    whole, holed = (scan(data, wavelength[use], flux[use], AROUND) for use in (flux > 0, kept))
    assert abs(whole.best - holed.best) <= 1
    assert holed.chi2.min() > whole.chi2.min()  # what lies beyond the gap does not count for it


def test_too_little_overlap_is_infinite() -> None:
    data = prepare(observed("a_dwarf", 0.0, 20.0, 0), ORDER)
    assert data is not None
    wavelength, flux = bundled("a_dwarf")
    assert np.isinf(scan(data, 3.0 * wavelength, flux, AROUND).chi2).all()


def test_few_good_pixels_cannot_be_fitted() -> None:
    flux = np.full(SDSS_PIXELS.size, np.nan)
    flux[:30] = 1.0
    assert prepare(Spectrum(wavelength=SDSS_PIXELS, flux=flux), ORDER) is None


def test_a_very_fine_spectrum_is_made_coarser() -> None:
    pixels = np.linspace(4000.0, 7000.0, 300_000)
    flux = 1.0 + 0.1 * np.random.default_rng(0).normal(size=pixels.size)
    data = prepare(Spectrum(wavelength=pixels, flux=flux), ORDER)
    assert data is not None
    assert data.wavelength.size < 8000
