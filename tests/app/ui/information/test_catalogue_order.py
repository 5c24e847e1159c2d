"""Values in the order and under the names of the survey's catalogue."""

from __future__ import annotations

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
