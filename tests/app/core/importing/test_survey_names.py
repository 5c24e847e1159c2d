"""File names of the surveys."""

from __future__ import annotations

import pytest

from app.core.importing.survey_names import find_scheme


@pytest.mark.parametrize(
    ("columns", "parts", "first"),
    [
        ("plate mjd fiberid", ("266", "51602", "31"), "spec-0266-51602-0031"),
        ("plate mjd fiberid", ("266.0", "51602.000", "3.1e+01"), "spec-0266-51602-0031"),
        ("PLATE MJD FIBER", ("11000", "58000", "1000"), "spec-11000-58000-1000"),
        ("lmjd planid spid fiberid", ("55859", "F5902", "1", "8"), "spec-55859-F5902_sp01-008"),
        ("field mjd catalogid", ("15000", "59146", "4375786564"), "spec-015000-59146-4375786564"),
        ("survey program healpix", ("main", "dark", "27247"), "coadd-main-dark-27247"),
        ("petal_loc tileid lastnight", ("4", "80613", "20210324"), "coadd-4-80613-thru20210324"),
    ],
)
def test_what_the_surveys_call_their_files(columns, parts, first):
    naming = find_scheme(columns.split())
    assert naming.stems(parts)[0] == first
    assert naming.stems(["x"] * len(parts)) in ([], ["coadd-x-x-x", "spectra-x-x-x"])
