"""Ticks at round numbers, with the decimals they need."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ui.plot.canvas.ticks import log_ticks, tick_texts, ticks


@pytest.mark.parametrize(
    ("lo", "hi", "most", "texts"),
    [
        (3700, 9100, 6, ("4000", "5000", "6000", "7000", "8000", "9000")),
        (6450, 6750, 7, ("6450", "6500", "6550", "6600", "6650", "6700", "6750")),
        (-0.26, 0.51, 4, ("\N{MINUS SIGN}0.2", "0.0", "0.2", "0.4")),
        (1.2001, 1.2009, 4, ("1.20025", "1.20050", "1.20075")),
        (1.2004, 1.20085, 1, ("1.2005",)),
    ],
)
def test_numbers_are_round_and_told_apart(lo, hi, most, texts):
    assert tick_texts(ticks(lo, hi, most)) == texts


@given(st.floats(-1e5, 1e5), st.floats(1e-4, 1e9), st.integers(2, 20))
def test_never_more_than_asked_for_and_inside(lo, span, most):
    hi = lo + span
    found = ticks(lo, hi, most)
    assert len(found) <= most + 1
    assert all(lo - 1e-6 * span <= each <= hi + 1e-6 * span for each in found)


def test_a_range_that_is_none_has_no_ticks():
    assert ticks(1.0, 1.0, 5) == ticks(float("nan"), 2.0, 5) == tick_texts(()) == ()


@pytest.mark.parametrize(
    ("lo", "hi", "most", "texts"),
    [
        (0.0, 3.0, 6, ("1", "10", "100", "1000")),
        (0.0, 3.0, 12, ("1", "2", "5", "10", "20", "50", "100", "200", "500", "1000")),
        (-2.0, 0.0, 5, ("0.01", "0.03", "0.1", "0.3", "1")),
        (0.1, 0.5, 5, ("1.5", "2.0", "2.5", "3.0")),
        (0.0, 40.0, 9, ("1", "1e10", "1e20", "1e30", "1e40")),
    ],
)
def test_logarithmic_ticks_are_round_numbers(lo, hi, most, texts):
    found = log_ticks(lo, hi, most)
    assert tuple(text for _, text in found) == texts
    assert [10.0**at for at, _ in found] == pytest.approx([float(text) for text in texts])


def test_a_logarithmic_range_beyond_numbers_has_no_ticks():
    assert log_ticks(-400.0, 3.0, 5) == log_ticks(1.0, 1.0, 5) == log_ticks(0.0, 1e9, 5) == ()
