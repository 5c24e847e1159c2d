"""What is drawn: gaps stay gaps, bad pixels are told, smoothing lowers the error."""

from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from app.ui.plot.plot_view import raw_underlay
from app.ui.plot.trace import LARGEST, pieces, trace
from tests.app.ui.plot.spectra import spectrum


def with_bad(start, stop, **changes):
    mask = np.zeros(3000, dtype=bool)
    mask[start:stop] = True
    return spectrum(mask=mask, **changes)


def test_bad_pixels_are_a_gap_in_the_curve_and_a_stretch_to_shade():
    made = with_bad(1000, 1010)
    drawn = trace(made)
    assert np.isnan(drawn.flux[1000:1010]).all() and np.isfinite(drawn.flux[990:1000]).all()
    ((lo, hi),) = drawn.bad
    assert made.wavelength[999] < lo < made.wavelength[1000]
    assert made.wavelength[1009] < hi < made.wavelength[1010]


def test_bad_pixels_with_a_flux_are_drawn_behind_with_their_neighbours():
    drawn = trace(with_bad(1000, 1010))
    wavelength, behind = raw_underlay(drawn)
    assert wavelength[np.isfinite(behind)].tolist() == drawn.wavelength[999:1011].tolist()


def test_two_stretches_of_bad_pixels_are_not_joined():
    mask = np.isin(np.arange(3000), (1000, 1003, 2000))
    _, behind = raw_underlay(trace(spectrum(mask=mask)))
    assert [part.stop - part.start for part in pieces(behind)] == [6, 3]
    assert raw_underlay(trace(spectrum()))[0].size == 0


def test_smoothing_keeps_a_bad_pixel_out_and_lowers_the_error():
    made = with_bad(1000, 1001, flux=np.where(np.arange(3000) == 1000, 1e6, 1.0))
    drawn = trace(made, 5.0)
    assert np.isnan(drawn.flux[1000])
    assert np.nanmax(np.abs(drawn.flux - 1.0)) < 1e-9
    # White noise under a Gaussian of FWHM w: its scatter falls by sqrt(w * 1.5053).
    expected = 0.05 / np.sqrt(5.0 * 1.5053)
    assert np.nanmedian(drawn.error) == pytest.approx(expected, rel=0.01)


def test_smoothing_states_its_width_in_both_units():
    drawn = trace(spectrum(), 5.0)
    step = 299792.458 * np.log(9000 / 3800) / 2999
    assert (drawn.smoothing_px, drawn.smoothing_kms) == pytest.approx((5.0, 5 * step), rel=1e-3)


def test_tiny_fluxes_get_a_power_of_ten():
    drawn = trace(spectrum(flux=np.full(3000, 3.2e-17), ivar=None))
    assert drawn.exponent == -17
    assert drawn.flux[0] == pytest.approx(3.2)
    assert drawn.error is None


def test_missing_pixels_are_not_bridged():
    wavelength = np.concatenate([np.arange(4000.0, 5000.0), np.arange(5200.0, 6000.0)])
    drawn = trace(Spectrum(wavelength=wavelength, flux=np.ones(wavelength.size)))
    inside = (drawn.wavelength > 5000) & (drawn.wavelength < 5199)
    assert inside.sum() == 1 and np.isnan(drawn.flux[inside]).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_what_is_no_measurement_is_a_gap(value):
    flux = np.ones(3000)
    flux[50] = value
    drawn = trace(spectrum(flux=flux))
    assert np.isnan(drawn.flux[50]) and np.isnan(drawn.raw[50])
    assert np.nanmax(drawn.raw) < LARGEST


@pytest.mark.parametrize("value", [np.nan, 0.0])
def test_a_spectrum_without_a_single_flux_is_drawn_as_nothing(value):
    drawn = trace(spectrum(flux=np.full(3000, value), ivar=np.zeros(3000)), 8.0)
    assert not np.isfinite(drawn.flux).any()
    assert len(drawn.bad) == 1
