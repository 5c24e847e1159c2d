"""Dates of observations in headers and lists."""

from __future__ import annotations

import pytest

from app.ui.comparison.observation_date import date_of_mjd, observation_date


@pytest.mark.parametrize(
    ("header", "own", "date"),
    [
        ({"DATE-OBS": "2014-02-19T12:00:00"}, {"mjd": 51544}, "2014-02-19"),
        ({"MJD": 55859}, {}, "2011-10-25"),
        ({}, {"obsdate": "2018-10-05"}, "2018-10-05"),
        ({}, {"MJD": "51544.5"}, "2000-01-01"),
        ({"DATE-OBS": "yesterday", "MJD": -1}, {"date": 20}, ""),
        ({}, {}, ""),
    ],
)
def test_the_header_comes_first_and_dates_are_iso(header, own, date):
    assert observation_date(header, own) == date


@pytest.mark.parametrize("value", ["", None, True, "nan", "inf", 0, -4e9, 1e300, "2014"])
def test_what_is_no_date_is_empty(value):
    assert date_of_mjd(value) == ""
