"""The table of other epochs and neighbours."""

from __future__ import annotations

import pytest

from app.ui.information.nearby_model import date_of
from tests.app.ui.information.conftest import shown
from tests.app.ui.steps import show_painted


def test_nearest_first_with_date_and_verdict(qtbot, nearby, context, session):
    show_painted(qtbot, context, 2)
    qtbot.waitUntil(lambda: len(shown(nearby)) == 3)
    name = session.candidate(2).object_id
    assert shown(nearby) == [
        ['1.0"', session.candidate(5).object_id, "2018-10-05", "–"],
        ['2.0"', session.candidate(8).object_id, "", "✕ rejected"],
        ["–", f"= {name}", "", "–"],
    ]
    assert not nearby.table.isColumnHidden(2)


@pytest.mark.parametrize(
    "own, date",
    [
        ({"MJD": 58000}, "58000"),
        ({"Obs Date": "x", "obsdate": "2018-10-05T10:00"}, "2018-10-05"),
        ({"mjd": None, "mag": 3}, ""),
    ],
)
def test_dates_by_what_lists_call_them(own, date):
    assert date_of(own) == date
