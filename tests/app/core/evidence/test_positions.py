"""The year of a position."""

from __future__ import annotations

import pytest

from app.core.evidence.positions import epoch_of, position_of
from app.core.session.records import Candidate


def candidate(own=None, path="", ra=10.0, dec=41.0):
    return Candidate(
        id=1, list_id=1, line=1, object_id="a", path=path, ra=ra, dec=dec, own=own or {}
    )


@pytest.mark.parametrize(
    ("own", "path", "year"),
    [
        ({"mjd": 57388.5}, "", 2016.0),
        ({"LMJD": "57388.5"}, "", 2016.0),
        ({"mjd": 51544.5, "ref_epoch": 2016.0}, "", 2016.0),
        ({}, "/a/spec-55859-F5902_sp01-001.fits.gz", 2011.81),
        ({}, "spec-3655-55240-0262.fits", 2010.12),
        ({}, "/a/spec-015000-59146-4375924756.fits", 2020.81),
        ({}, "spSpec-51602-0266-013.fit", 2000.16),
        ({"mjd": 99}, "spectrum.fits", None),
        ({"mjd": True, "epoch": "J2000"}, "spec-12345.fits", None),
    ],
)
def test_the_list_or_the_name_of_the_spectrum_tells_the_year(own, path, year):
    found = epoch_of(candidate(own, path))
    assert found == (None if year is None else pytest.approx(year, abs=0.01))


def test_a_place_that_is_not_on_the_sky_is_no_position():
    assert position_of(candidate(ra=None), {}) is None
    assert position_of(candidate(dec=95.0), {}) is None
    assert position_of(candidate(ra=float("nan")), {}) is None
