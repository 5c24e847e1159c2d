"""What is drawn of a spectrum: gaps, bad pixels, smoothing, quantities."""

import sys

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from app.ui.judge.plot.trace import LARGEST, takes_long, trace
from tests.app.ui.judge.plot.spectra import spectrum, with_bad


def test_bad_pixels_are_gaps_that_smoothing_leaves_out():
    made = with_bad(1000, 1010)
    drawn = trace(made)
    assert np.isnan(drawn.flux[1000:1010]).all() and np.isfinite(drawn.flux[990:1000]).all()
    ((lo, hi),) = drawn.bad
    assert made.wavelength[999] < lo < made.wavelength[1000]
    assert made.wavelength[1009] < hi < made.wavelength[1010]
    made = with_bad(1000, 1001, flux=np.where(np.arange(3000) == 1000, 1e6, 1.0))
    drawn = trace(made, 5.0)
    assert np.isnan(drawn.flux[1000]) and np.nanmax(np.abs(drawn.flux - 1.0)) < 1e-9
    # White noise under a Gaussian of FWHM w: its scatter falls by sqrt(w * 1.5053).
    expected = 0.05 / np.sqrt(5.0 * 1.5053)
    assert np.nanmedian(drawn.error) == pytest.approx(expected, rel=0.01)
    drawn = trace(spectrum(), 5.0)
    step = 299792.458 * np.log(9000 / 3800) / 2999
    assert (drawn.smoothing_px, drawn.smoothing_kms) == pytest.approx((5.0, 5 * step), rel=1e-3)
    # As between the arms of LAMOST-MRS, whose outermost pixels are bad.
    wavelength = np.concatenate([np.arange(4950.0, 5350.0), np.arange(6300.0, 6800.0)])
    bad = np.isin(wavelength, (5348.0, 5349.0, 6300.0, 6301.0, 6400.0))
    spectrum_of_arms = Spectrum(wavelength=wavelength, flux=np.ones(900), mask=bad)
    assert trace(spectrum_of_arms).bad == ((5347.5, 5349.5), (6299.5, 6301.5), (6399.5, 6400.5))


def test_missing_pixels_are_not_bridged_nor_smoothed_across():
    wavelength = np.concatenate([np.arange(4000.0, 5000.0), np.arange(5200.0, 6000.0)])
    drawn = trace(Spectrum(wavelength=wavelength, flux=np.ones(wavelength.size)))
    inside = (drawn.wavelength > 5000) & (drawn.wavelength < 5199)
    assert inside.sum() == 1 and np.isnan(drawn.flux[inside]).all()
    fine = np.concatenate([np.arange(4000.0, 4100.0), np.arange(4140.0, 4200.0)])
    wavelength = np.concatenate([fine, 4200.0 + 50.0 * np.arange(400)])
    drawn = trace(Spectrum(wavelength=wavelength, flux=np.ones(wavelength.size)))
    gaps = drawn.wavelength[np.isnan(drawn.flux)]
    assert gaps.tolist() == [4119.5]
    for has_errors in [True, False]:
        wavelength = np.concatenate([np.arange(4000.0, 5000.0), np.arange(6175.0, 7000.0)])
        flux = np.where(wavelength < 5500, 1.0, 100.0)
        ivar = np.ones(flux.size) if has_errors else None
        drawn = trace(Spectrum(wavelength=wavelength, flux=flux, ivar=ivar), 10.0)
        known = np.isfinite(drawn.flux)
        assert np.allclose(drawn.flux[known], np.where(drawn.wavelength[known] < 5500, 1.0, 100.0))
        assert known.sum() == flux.size and (drawn.error is not None) == has_errors


def test_what_is_no_measurement_is_a_gap():
    for value in [np.nan, np.inf, 1e300]:
        flux = np.ones(3000)
        flux[50] = value
        drawn = trace(spectrum(flux=flux))
        assert np.isnan(drawn.flux[50]) and np.isnan(drawn.raw[50])
        assert np.nanmax(drawn.raw) < LARGEST
    for value in [np.nan, 0.0]:
        drawn = trace(spectrum(flux=np.full(3000, value), ivar=np.zeros(3000)), 8.0)
        assert not np.isfinite(drawn.flux).any() and len(drawn.bad) == 1


def test_quantities_are_drawn_in_units_of_their_own():
    made = spectrum(flux_unit="1e-17 erg/s/cm2/A", flux=np.full(3000, 3.0))
    drawn = trace(made, quantity="per_frequency")
    assert (drawn.quantity, drawn.flux_unit) == ("per_frequency", "erg s-1 cm-2 Hz-1")
    at = int(np.searchsorted(made.wavelength, 5000.0))
    expected = 3e-17 * made.wavelength[at] ** 2 / 2.99792458e18
    assert drawn.flux[at] * drawn.unit == pytest.approx(expected)
    assert drawn.error[at] / drawn.flux[at] == pytest.approx(0.05 / 3.0)
    assert drawn.place(float(made.wavelength[at]), 3.0) == pytest.approx(drawn.flux[at])
    drawn = trace(spectrum(flux_unit="counts"), quantity="per_frequency")
    assert (drawn.quantity, drawn.flux_unit) == ("file", "counts")
    drawn = trace(spectrum(flux=np.full(3000, 3.2e-17), ivar=None))
    assert drawn.exponent == -17 and drawn.flux[0] == pytest.approx(3.2) and drawn.error is None
    drawn = trace(spectrum(), is_log=True)
    assert drawn.on_axis(np.array([100.0, 0.1])).tolist() == pytest.approx([2.0, -1.0])
    assert np.isnan(drawn.on_axis(np.array([np.nan]))).all()
    assert np.isfinite(drawn.on_axis(np.array([0.0, -5.0]))).all()
    assert drawn.place(5000.0, 10.0 * drawn.unit) == pytest.approx(1.0)


def test_what_takes_long_is_not_done_in_the_gui_thread(monkeypatch):
    monkeypatch.setattr("app.ui.judge.plot.trace.MAX_SYNC_PIXELS", 100)
    made = spectrum()
    assert takes_long(made, 5.0, "file", False) and takes_long(made, 0.0, "per_frequency", False)
    assert not takes_long(made, 0.0, "file", True)
    monkeypatch.delitem(sys.modules, "scipy.linalg", raising=False)
    assert takes_long(made, 0.0, "normalised", False)
