from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.train.questions.helpers import star
from train.questions.working_spectrum import continuum_level, finished_spectrum, working_copy


def test_a_copy_that_nothing_happened_to_gives_the_same_spectrum():
    before = star()
    after = finished_spectrum(working_copy(before), before)
    for name in ("wavelength", "flux", "ivar"):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))
    assert (after.resolution, after.flux_unit, after.mask) == (1800.0, "counts", None)


def test_bad_pixels_without_errors_become_a_mask():
    before = star()
    one = working_copy(before)
    good = one.wavelength < 8000
    after = finished_spectrum(replace(one, ivar=None, good=good), before)
    assert after.ivar is None
    np.testing.assert_array_equal(after.good, good)
    weighted = finished_spectrum(replace(one, good=good), before)
    assert weighted.mask is None and (weighted.ivar[~good] == 0).all()


def test_factors_keep_the_signal_to_noise():
    one = working_copy(star(snr=50.0))
    assert one.snr == one.times(3.0).snr == pytest.approx(50.0)
    assert replace(one, ivar=None).snr == np.inf
    assert (one.times(3.0).flux == 3.0 * one.flux).all()


def test_bad_pixels_are_interpolated():
    one = working_copy(star(depth=0.0))
    inside = (one.wavelength > 6000) & (one.wavelength < 6020)
    spoilt = replace(one, flux=np.where(inside, -1.0, one.flux), good=~inside)
    np.testing.assert_allclose(spoilt.filled(), one.flux, rtol=1e-4)


def test_edges_enclose_the_pixels():
    one = working_copy(star(step=1.5))
    assert one.edges.size == one.wavelength.size + 1
    assert one.step == pytest.approx(1.5) and np.allclose(np.diff(one.edges), 1.5)


def test_the_continuum_follows_slopes_and_not_lines():
    one = working_copy(star())
    smooth = working_copy(star(depth=0.0)).flux
    np.testing.assert_allclose(continuum_level(one, 500.0), smooth, rtol=0.02)


def test_the_level_of_a_dark_spectrum_is_positive():
    one = working_copy(star())
    dark = replace(one, flux=-one.flux)
    assert (continuum_level(dark, 500.0) > 0).all()
