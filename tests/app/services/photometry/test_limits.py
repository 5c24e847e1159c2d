"""Which magnitudes are limits, and that none of them is taken for a measurement."""

from __future__ import annotations

import pytest

from app.core.evidence.said_values import Gap, said_of
from app.services.catalogues.answer import Match, answer_of
from app.services.catalogues.service import all_services
from app.services.photometry.bands import BANDS_OF_LETTERS, is_limit
from app.services.photometry.synthetic import flux_points
from app.ui.evidence.value_texts import value_rows

SEEN = {"j": 15.1, "j_error": 0.05, "h": 14.6, "h_error": None, "k": 14.2, "k_error": 0.1}


@pytest.mark.parametrize(
    ("letters", "limits"),
    [("AAA", ""), ("AUB", "h"), ("UXD", "jh"), ("A", ""), (None, ""), (7, "")],
)
def test_letters(letters, limits):
    values = SEEN | {"quality": letters}
    assert [name for name in "jhk" if is_limit("twomass", name, values)] == [*limits]
    assert not is_limit("gaia", "j", values) and not is_limit("twomass", "quality", values)


def test_the_columns_are_those_of_the_services():
    for service, columns in BANDS_OF_LETTERS.items():
        names = [each.name for each in all_services()[service].columns]
        assert [name for name in names if name in columns] == [*columns] and "quality" in names


def test_a_limit_is_no_point_no_value_and_is_shown_as_one():
    match = Match(values=SEEN | {"quality": "AUA"}, separation_arcsec=0.1)
    answers = {"twomass": answer_of([match])}
    assert [each.band.column for each in flux_points(answers)] == ["j", "k"]
    assert said_of(answers, "twomass.h") is Gap.NO_VALUE
    assert said_of(answers, "twomass.j").value == 15.1
    rows = {row.name: row.text for row in value_rows(all_services()["twomass"], match)}
    assert rows["h"] == "> 14.6 mag" and rows["j"] == "15.100 ± 0.050 mag"
