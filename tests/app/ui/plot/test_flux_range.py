"""Spikes do not flatten a spectrum; real lines are shown whole."""

from __future__ import annotations

import numpy as np
import pytest

from app.ui.plot.trace import flux_range, trace
from tests.app.ui.plot.spectra import spectrum

ALL = (3800.0, 9000.0)


def spiked(*places, height=500.0):
    made = spectrum()
    flux = made.flux.copy()
    for place in places:
        flux[place : place + 2] = height
    return trace(spectrum(flux=flux))


def test_cosmic_rays_run_off_the_paper():
    low, high = flux_range(spiked(100, 900, 2500), ALL)
    assert 0 < low < 1 and 2.9 < high < 4


def test_a_line_is_shown_whole():
    drawn = trace(spectrum(peak=4.0))
    assert flux_range(drawn, ALL)[1] > np.nanmax(drawn.flux)


def test_the_noisy_top_of_a_strong_line_is_shown():
    """The more light, the more noise: that is no reason to cut it off."""
    made = spectrum(peak=200.0)
    ivar = 100.0 / np.clip(made.flux, 1.0, None)
    drawn = trace(spectrum(flux=made.flux, ivar=ivar))
    assert flux_range(drawn, (6450.0, 6750.0))[1] > np.nanmax(drawn.flux)


def test_a_narrow_window_has_its_own_range():
    low, high = flux_range(trace(spectrum(peak=50.0)), (4200.0, 4500.0))
    assert high - low < 0.6


def test_noisy_ends_and_sky_residues_do_not_count():
    made = spectrum(peak=0.0)
    flux, ivar = made.flux.copy(), made.ivar.copy()
    flux[:200] += 40 * np.sin(np.arange(200) / 9)
    ivar[:200] = 1e-4
    sky = (made.wavelength > 5572) & (made.wavelength < 5586)
    flux[sky] = 30.0
    low, high = flux_range(trace(spectrum(flux=flux, ivar=ivar)), ALL)
    assert low > 0 and high < 2


@pytest.mark.parametrize("value", [0.0, 3.0, -2.0, np.nan])
def test_a_flat_or_empty_spectrum_has_a_range_too(value):
    low, high = flux_range(trace(spectrum(flux=np.full(3000, value))), ALL)
    assert np.isfinite([low, high]).all() and low < high
