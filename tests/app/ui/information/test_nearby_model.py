"""Other epochs and neighbours, a click away."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from sqlalchemy import update

from app.core.database.tables import candidates
from app.core.session.records import Opinion, Verdict
from app.ui.information.nearby_model import date_of
from app.ui.information.nearby_panel import NearbyPanel
from tests.app.ui.steps import put_on_desk, shown_in


def put(session, number, **values):
    with session.database.writing() as connection:
        connection.execute(update(candidates).where(candidates.c.id == number).values(values))


@pytest.fixture
def panel(qtbot, context, session):
    here = session.candidate(2)
    put(session, 5, ra=here.ra, dec=here.dec + 1.0 / 3600.0, own='{"obsdate": "2018-10-05T1"}')
    put(session, 8, ra=here.ra, dec=here.dec + 2.0 / 3600.0)
    put(session, 9, object_id=here.object_id, ra=None, dec=None)
    put(session, 11, ra=None, dec=None)
    session.record_verdict(8, Opinion(verdict=Verdict.REJECT))
    return shown_in(qtbot, NearbyPanel(context), 300, 200)


def shown(panel):
    model = panel.model
    return [
        [model.index(row, column).data() for column in range(4)] for row in range(model.rowCount())
    ]


def test_nearest_first_with_date_and_verdict(qtbot, panel, context, session):
    put_on_desk(qtbot, context, 2)
    qtbot.waitUntil(lambda: len(shown(panel)) == 3)
    name = session.candidate(2).object_id
    assert shown(panel) == [
        ['1.0"', session.candidate(5).object_id, "2018-10-05", "–"],
        ['2.0"', session.candidate(8).object_id, "", "✕ rejected"],
        ["–", f"= {name}", "", "–"],
    ]
    assert not panel.table.isColumnHidden(2)


def test_a_click_goes_there(qtbot, panel, context):
    put_on_desk(qtbot, context, 2)
    qtbot.waitUntil(lambda: len(shown(panel)) == 3)
    place = panel.table.visualRect(panel.model.index(1, 1)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert context.current.candidate.id == 8


def test_a_verdict_is_seen_at_once(qtbot, panel, context, session):
    put_on_desk(qtbot, context, 2)
    qtbot.waitUntil(lambda: len(shown(panel)) == 3)
    session.record_verdict(5, Opinion(verdict=Verdict.ACCEPT))
    qtbot.waitUntil(lambda: shown(panel)[0][3] == "✓ accepted")


def test_the_radius_is_a_setting(qtbot, panel, context):
    put_on_desk(qtbot, context, 2)
    context.settings.change(neighbour_arcsec=1.5)
    qtbot.waitUntil(lambda: len(shown(panel)) == 2)


def test_other_settings_look_for_nobody(qtbot, panel, context):
    put_on_desk(qtbot, context, 2)
    qtbot.waitUntil(lambda: len(shown(panel)) == 3)
    context.settings.change(language="zh")
    assert not panel._delay.isActive()
    context.settings.change(neighbour_arcsec=1.5)
    assert panel._delay.isActive()


def test_empty_states_have_words(qtbot, panel, context):
    assert "No object selected" in panel.message.text()
    put_on_desk(qtbot, context, 3)
    qtbot.waitUntil(lambda: "within 3 arcsec" in panel.message.text())
    put_on_desk(qtbot, context, 11)
    qtbot.waitUntil(lambda: "no position" in panel.message.text())
    assert not panel.table.isVisible()


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
