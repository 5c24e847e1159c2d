"""Ticks and curves of the small spectra."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.report.svg import curve, in_bins, ticks


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_round_and_inside(low, span):
    found = ticks(low, low + span)
    assert 1 <= len(found) <= 6
    assert all(low - 1e-6 * span <= each <= low + span * (1 + 1e-6) for each in found)
    steps = np.diff(found)
    assert np.allclose(steps, steps[0] if len(steps) else 0.0, rtol=1e-4)


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0), (2.0, 1.0), (0.0, np.inf), (0.0, np.nan)])
def test_no_ticks_where_there_is_no_range(low, high):
    assert ticks(low, high) == []


def test_round_numbers():
    assert ticks(3800.0, 9100.0) == [4000.0, 6000.0, 8000.0]
    assert ticks(6450.0, 6750.0) == [6500.0, 6600.0, 6700.0]


def test_a_curve_breaks_where_nothing_is_known():
    x = np.arange(5.0)
    drawn = curve(x, np.array([0.0, 1.0, np.nan, 2.04, 3.0]), "#000000")
    assert 'd="M0 0L1 1M3 2L4 3"' in drawn
    assert 'd=""' in curve(x, np.full(5, np.nan), "#000000")


def test_means_over_good_pixels(rng):
    x, y = np.linspace(4000.0, 9000.0, 4001), rng.normal(size=4001)
    good = rng.random(4001) > 0.1
    good[(x > 6000) & (x < 6200)] = False
    at, mean = in_bins(x, y, good, 100)
    assert at.size == mean.size == 100
    assert at[0] == pytest.approx(4025.0)
    members = (x >= 4000.0) & (x < 4050.0) & good
    assert mean[0] == pytest.approx(y[members].mean())
    assert np.isnan(mean[(at > 6050) & (at < 6150)]).all()
    assert np.isnan(mean).sum() <= 4


def test_few_points_stay_as_they_are():
    x, y = np.arange(5.0), np.arange(5.0)
    at, same = in_bins(x, y, np.array([True, False, True, True, True]), 10)
    assert at is x
    assert np.isnan(same[1])
    assert same[4] == 4.0
