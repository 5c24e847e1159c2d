"""Values in the order and under the names of the survey's catalogue."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.ui.information.information import CandidateFacts
from tests.app.ui.information.facts import LAMOST_HEADER, candidate, rows, spectrum


def test_lamost_in_the_order_of_its_catalogue():
    known = CandidateFacts(candidate=candidate(), spectrum=spectrum(**LAMOST_HEADER))
    catalogue = rows(known, "catalogue")
    assert list(catalogue) == [
        *("obsid", "designation", "obsdate", "lmjd", "planid", "spid", "fiberid", "ra", "dec"),
        *("snru", "snrz", "class", "subclass", "z"),
    ]
    assert catalogue["obsid"] == "677503031"
    assert catalogue["snru"] == "3.25"
    assert rows(known, "header") == {"SEEING": "2.9"}


@pytest.mark.parametrize(
    "survey, first", [("SDSS", "plate"), ("DESI", "targetid"), ("LAMOST-MRS", "obsid")]
)
def test_every_survey_has_its_own(survey, first):
    meta = {"PLATEID": 266, "TARGETID": 39633345008634465, "OBSID": 5}
    known = CandidateFacts(candidate=candidate(), spectrum=spectrum(survey, **meta))
    assert next(iter(rows(known, "catalogue"))) == first


def test_the_place_of_an_sdss_object_is_not_the_centre_of_its_plate():
    plate = {"PLATEID": 266, "RA": 145.89, "DEC": 0.06}
    read = replace(spectrum("SDSS", **plate), ra=147.32, dec=-0.0066)
    catalogue = rows(CandidateFacts(candidate=candidate(), spectrum=read), "catalogue")
    assert (catalogue["ra"], catalogue["dec"]) == ("147.32", "-0.0066")
    plugged = spectrum("SDSS", **plate, PLUG_RA=147.5, PLUG_DEC=-1.5)
    catalogue = rows(CandidateFacts(candidate=candidate(), spectrum=plugged), "catalogue")
    assert (catalogue["ra"], catalogue["dec"]) == ("147.5", "-1.5")
    unknown = rows(
        CandidateFacts(candidate=candidate(), spectrum=spectrum("SDSS", **plate)), "catalogue"
    )
    assert "ra" not in unknown
