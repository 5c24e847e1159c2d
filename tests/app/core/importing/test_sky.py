"""Positions as lists write them, in degrees."""

import numpy as np
import pytest

from app.core.importing.formats.text_cells import TextCells
from app.core.importing.sky import angles, iau_name, positions, unit_vectors


def ra(text, unit=""):
    return angles(TextCells([text], "str"), unit, is_ra=True)[0]


def dec(text, unit=""):
    return angles(TextCells([text], "str"), unit, is_ra=False)[0]


@pytest.mark.parametrize(("text", "expected"), [
    ("187.5", 187.5), ("12:30:00", 187.5), ("12 30 00.0", 187.5), ("12h30m00s", 187.5),
    ("187d30m00s", 187.5), ("00:00:01", 15 / 3600), ("noon", None), ("", None),
    ("187:30:00", 187.5),  # no hour is so late
])  # fmt: skip
def test_right_ascensions(text, expected):
    assert ra(text) == (None if expected is None else pytest.approx(expected, abs=1e-12))


@pytest.mark.parametrize(("text", "expected"), [
    ("-10.25", -10.25), ("+10:15:00", 10.25), ("-00:30:00", -0.5), ("\u221200:30:00", -0.5),
    ("-10d15m00s", -10.25), ("-10 15 00", -10.25),
])  # fmt: skip
def test_declinations(text, expected):
    assert dec(text) == pytest.approx(expected)


def test_units():
    assert ra("2.5", "hourangle") == 37.5
    assert ra("2.5", "deg") == 2.5
    assert dec("2.5", "hourangle") == 2.5
    assert ra("3.141592653589793", "rad") == pytest.approx(180)


def test_both_or_neither():
    found = positions([1.0, None, 400.0, 5.0, None, 360.0], [2.0, 3.0, 4.0, -91.0, None, 90.0])
    assert found == ([1.0, None, None, None, None, 360.0], [2.0, None, None, None, None, 90.0], 3)
    assert positions([1.0], [2.0]) == ([1.0], [2.0], 0)
    assert positions([], []) == ([], [], 0)


@pytest.mark.parametrize(("ra", "dec", "name"), [
    (10.68458, 41.26917, "J004244.29+411609.0"),
    (359.9999999, -0.0000001, "J235959.99-000000.0"),
    (0.0, 90.0, "J000000.00+900000.0"),
    (187.5, -12.5, "J123000.00-123000.0"),
])  # fmt: skip
def test_names_by_position(ra, dec, name):
    assert iau_name(ra, dec) == name


def test_a_place_that_is_none_is_nowhere():
    found = unit_vectors(np.array([0.0, np.inf, np.nan]), np.array([90.0, 0.0, 0.0]))
    np.testing.assert_allclose(found[0], [0.0, 0.0, 1.0], atol=1e-15)
    assert np.isnan(found[1:, :2]).all()
