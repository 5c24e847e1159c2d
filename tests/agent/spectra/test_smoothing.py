from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.smoothing import smooth_box, smooth_gaussian, smooth_parts


def test_smoothing_keeps_a_constant_and_skips_bad_pixels() -> None:
    flux = np.full(200, 5.0)
    good = np.ones(200, dtype=bool)
    flux[90:95], good[90:95] = np.nan, False
    for smooth in (smooth_box(flux, good, 9), smooth_gaussian(flux, good, 7.5)):
        assert smooth == pytest.approx(5.0)


def test_smoothing_adds_widths_in_quadrature() -> None:
    x = np.arange(401.0)
    narrow = np.exp(-4 * np.log(2) * ((x - 200) / 12.0) ** 2)
    wide = smooth_gaussian(narrow, np.ones(401, dtype=bool), 16.0)
    assert (wide > 0.5 * wide.max()).sum() == pytest.approx(20.0, abs=1.0)
    assert wide.sum() == pytest.approx(narrow.sum(), rel=1e-3)


def test_smoothing_without_good_pixels_or_with_huge_widths() -> None:
    nothing = np.zeros(8, dtype=bool)
    flux = np.full(8, np.nan)
    assert np.isnan(smooth_box(flux, nothing, 3)).all()
    assert smooth_gaussian(np.ones(8), ~nothing, 1e9) == pytest.approx(1.0)
    assert smooth_box(np.ones(8), ~nothing, 1e12) == pytest.approx(1.0)


def test_parts_on_each_side_of_a_gap_are_smoothed_by_themselves() -> None:
    wavelength = np.concatenate([np.arange(4000.0, 4100.0), np.arange(5000.0, 5100.0)])
    flux = np.where(wavelength < 4500.0, 1.0, 9.0)
    flux[30] = np.nan
    mean, error = smooth_parts(wavelength, flux, np.ones(200), 12.0)
    assert np.isnan(mean[30]) and error is not None
    known = np.isfinite(mean)
    assert mean[known] == pytest.approx(flux[known])
    assert np.nanmedian(error) == pytest.approx(1.0 / np.sqrt(12.0 * 1.5053), rel=0.05)
    assert smooth_parts(wavelength, flux, None, 12.0)[1] is None
