"""A spectrum on the pixels of another."""

from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.matching.resampling import median_factor, ratio, resampled
from agent.spectra.spectrum import Spectrum

FINE = np.arange(4000.0, 5000.0, 0.5)
COARSE = np.arange(4100.0, 4900.0, 3.0)


def with_line(wavelength: np.ndarray) -> np.ndarray:
    return 1.0 + wavelength / 5000.0 - 0.5 * np.exp(-0.5 * ((wavelength - 4500.0) / 8.0) ** 2)


def test_wider_pixels_keep_the_flux() -> None:
    spectrum = Spectrum(wavelength=FINE, flux=with_line(FINE))
    coarse = resampled(spectrum, COARSE)
    inside = np.abs(FINE - COARSE.mean()) < 0.5 * np.ptp(COARSE) + 1.5
    assert coarse.sum() * 3.0 == pytest.approx(spectrum.flux[inside].sum() * 0.5, rel=2e-3)


def test_narrower_pixels_are_interpolated() -> None:
    spectrum = Spectrum(wavelength=COARSE, flux=with_line(COARSE))
    fine = resampled(spectrum, FINE[300:-300])
    assert fine == pytest.approx(with_line(FINE[300:-300]), abs=0.01)


def test_bad_pixels_gaps_and_ends_have_no_flux() -> None:
    kept = (FINE < 4600.0) | (FINE > 4700.0)
    wavelength = FINE[kept]
    mask = (wavelength > 4300.0) & (wavelength < 4350.0)
    spectrum = Spectrum(wavelength=wavelength, flux=np.ones(wavelength.size), mask=mask)
    at = np.arange(3900.0, 5100.0, 2.0)
    unknown = np.isnan(resampled(spectrum, at))
    for low, high in ((3900.0, 3998.0), (4302.0, 4348.0), (4602.0, 4698.0), (5002.0, 5100.0)):
        assert unknown[(at > low) & (at < high)].all()
    assert not unknown[(at > 4001.0) & (at < 4298.0)].any()
    assert not unknown[(at > 4701.0) & (at < 4998.0)].any()


def test_the_ratio_to_nothing_is_unknown() -> None:
    other = np.array([2.0, 1e-6, np.nan, -4.0, 0.0])
    found = ratio(np.full(5, 4.0), other)
    assert found[[0, 3]] == pytest.approx([2.0, -1.0])
    assert np.isnan(found[[1, 2, 4]]).all()


def test_medians_are_made_the_same_where_both_are_known() -> None:
    flux, other = np.array([np.nan, 2.0, 4.0, 6.0]), np.array([9.0, 1.0, 2.0, 3.0])
    assert median_factor(flux, other) == 2.0
    assert np.isnan(median_factor(flux, np.full(4, np.nan)))
    assert np.isnan(median_factor(flux, -other))
