"""The flux range: lines whole, cosmic rays and noise outside, zero and logarithms on request."""

import numpy as np
import pytest

from app.ui.judge.plot.axes.flux_range import _medians_of_five, flux_range
from app.ui.judge.plot.trace import trace
from tests.app.ui.judge.plot.spectra import spectrum

ALL = (3800.0, 9000.0)


def spiked(*places, height=500.0):
    made = spectrum()
    flux = made.flux.copy()
    for position in places:
        flux[position : position + 2] = height
    return trace(spectrum(flux=flux))


def test_cosmic_rays_noisy_ends_and_sky_residues_do_not_count():
    low, high = flux_range(spiked(100, 900, 2500), ALL)
    assert 0 < low < 1 and 2.9 < high < 4
    made = spectrum(peak=0.0)
    flux, ivar = made.flux.copy(), made.ivar.copy()
    flux[:200] += 40 * np.sin(np.arange(200) / 9)
    ivar[:200] = 1e-4
    sky = (made.wavelength > 5572) & (made.wavelength < 5586)
    flux[sky] = 30.0
    low, high = flux_range(trace(spectrum(flux=flux, ivar=ivar)), ALL)
    assert low > 0 and high < 2
    # As in LAMOST spectra of low S/N, where it used to take a quarter of the height.
    made, draw = spectrum(peak=0.0), np.random.default_rng(3)
    noise = np.where(made.wavelength < 4400.0, 0.6, 0.05)
    flux = 3.0 + noise * draw.standard_normal(3000)
    low, high = flux_range(trace(spectrum(flux=flux, ivar=noise**-2.0)), ALL)
    assert high - low < 1.3
    plain_low, plain_high = flux_range(trace(spectrum(flux=flux, ivar=None)), ALL)
    assert high - low < 0.6 * (plain_high - plain_low)


def test_lines_are_shown_whole_with_their_noisy_tops():
    drawn = trace(spectrum(peak=4.0))
    assert flux_range(drawn, ALL)[1] > np.nanmax(drawn.flux)
    # Bright pixels have larger errors, which is no reason to cut the line off.
    made = spectrum(peak=200.0)
    ivar = 100.0 / np.clip(made.flux, 1.0, None)
    drawn = trace(spectrum(flux=made.flux, ivar=ivar))
    assert flux_range(drawn, (6450.0, 6750.0))[1] > np.nanmax(drawn.flux)
    low, high = flux_range(trace(spectrum(peak=50.0)), (4200.0, 4500.0))
    assert high - low < 0.6


def test_flat_zero_and_logarithmic_ranges():
    for value in [0.0, 3.0, -2.0, np.nan]:
        low, high = flux_range(trace(spectrum(flux=np.full(3000, value))), ALL)
        assert np.isfinite([low, high]).all() and low < high
    drawn = trace(spectrum())
    assert flux_range(drawn, ALL)[0] > 0.0 and flux_range(drawn, ALL, from_zero=True)[0] == 0.0
    below = trace(spectrum(flux=spectrum().flux - 9.0))
    assert flux_range(below, ALL, from_zero=True)[1] > 0.0
    flux = np.linspace(1.0, 1000.0, 3000)
    low, high = flux_range(trace(spectrum(flux=flux), is_log=True), ALL)
    assert -0.4 < low < 1.0 and 3.0 < high < 3.7
    flux[:100] = -50.0
    assert flux_range(trace(spectrum(flux=flux), is_log=True), ALL)[0] > 0.0
    nothing = flux_range(trace(spectrum(flux=np.full(3000, -1.0)), is_log=True), ALL)
    assert np.isfinite(nothing).all() and nothing[0] < nothing[1]
    flux = np.random.default_rng(3).normal(size=500)
    flux[40:44] = flux[40]
    sorted_windows = np.sort(np.lib.stride_tricks.sliding_window_view(flux, 5), axis=1)
    assert _medians_of_five(flux) == pytest.approx(sorted_windows[:, 2], abs=0.0)
