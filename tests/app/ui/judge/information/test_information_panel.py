"""The information panel follows the current candidate."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication

from app.core.session.records import Opinion, Verdict
from app.ui.judge.information.nearby_panel import date_of
from tests.app.ui.judge.information.conftest import shown, texts
from tests.app.ui.steps import click, show_painted


def test_the_panel_follows_folds_and_unfolds(qtbot, panel, context, session):
    assert panel.empty.isVisible()
    show_painted(qtbot, context, 2)
    qtbot.waitUntil(lambda: texts(panel).get("designation") == session.candidate(2).object_id)
    assert not panel.empty.isVisible()
    show_painted(qtbot, context, 3)
    qtbot.waitUntil(lambda: texts(panel).get("designation") == session.candidate(3).object_id)
    show_painted(qtbot, context, 2)
    click(qtbot, panel.card.heading)
    assert not panel.view.isVisible()
    click(qtbot, panel.card.heading)
    qtbot.waitUntil(panel.view.isVisible)
    qtbot.waitUntil(lambda: "header" in panel._headings.values())
    row = max(panel._headings)
    assert "VERSPIPE" not in texts(panel)
    panel.view.scrollToBottom()
    position = panel.view.visualRect(panel.model.index(row, 0)).center()
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert "VERSPIPE" in texts(panel)


def test_the_label_is_hidden_in_blind_mode_and_back_after_the_verdict(
    qtbot, panel, context, session
):
    context.current.blind_mode.set_on(True)
    show_painted(qtbot, context, 2)
    label = session.candidate(2).label
    assert label
    qtbot.waitUntil(lambda: texts(panel).get("subclass") == "hidden: blind mode")
    assert label not in texts(panel).values()
    session.record_verdict(2, context.current.opinion.__class__(verdict="REJECT"))
    qtbot.waitUntil(lambda: texts(panel).get("subclass") == label)


def test_values_can_be_copied(qtbot, panel, context, session):
    show_painted(qtbot, context, 2)
    qtbot.waitUntil(lambda: "designation" in texts(panel))
    panel._open_menu(QPoint(5, 5))
    value, everything = panel.menu.actions()
    value.trigger()
    assert QGuiApplication.clipboard().text() == panel.model.value_of(0)
    everything.trigger()
    assert f"designation\t{session.candidate(2).object_id}" in QGuiApplication.clipboard().text()
    panel.menu.close()


def test_empty_states_have_words(qtbot, nearby, context):
    assert "No object selected" in nearby.message.text()
    show_painted(qtbot, context, 3)
    qtbot.waitUntil(lambda: "within 3 arcsec" in nearby.message.text())
    show_painted(qtbot, context, 11)
    qtbot.waitUntil(lambda: "no position" in nearby.message.text())
    assert not nearby.table.isVisible()


def test_the_nearest_come_first_with_verdicts_and_clicks(qtbot, nearby, context, session):
    show_painted(qtbot, context, 2)
    qtbot.waitUntil(lambda: len(shown(nearby)) == 3)
    name = session.candidate(2).object_id
    assert shown(nearby) == [
        ['1.0"', session.candidate(5).object_id, "2018-10-05", "–"],
        ['2.0"', session.candidate(8).object_id, "", "✕ rejected"],
        ["–", f"= {name}", "", "–"],
    ]
    assert not nearby.table.isColumnHidden(2)
    session.record_verdict(5, Opinion(verdict=Verdict.ACCEPT))
    qtbot.waitUntil(lambda: shown(nearby)[0][3] == "✓ accepted")
    position = nearby.table.visualRect(nearby.model.index(1, 1)).center()
    qtbot.mouseClick(nearby.table.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert context.current.candidate.id == 8
    show_painted(qtbot, context, 2)
    qtbot.waitUntil(lambda: len(shown(nearby)) == 3)
    qtbot.waitUntil(lambda: not nearby._delay.isActive())
    context.settings.change(language="zh")
    assert not nearby._delay.isActive()
    context.settings.change(neighbour_arcsec=1.5)
    assert nearby._delay.isActive()
    qtbot.waitUntil(lambda: len(shown(nearby)) == 2)


def test_dates_by_what_lists_call_them():
    for own, date in [
        ({"MJD": 58000}, "58000"),
        ({"Obs Date": "x", "obsdate": "2018-10-05T10:00"}, "2018-10-05"),
        ({"mjd": None, "mag": 3}, ""),
    ]:
        assert date_of(own) == date
