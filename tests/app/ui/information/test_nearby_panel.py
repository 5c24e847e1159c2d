"""The panel of nearby objects."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.core.session.records import Opinion, Verdict
from tests.app.ui.information.conftest import shown
from tests.app.ui.steps import show_painted


def test_a_click_goes_there(qtbot, nearby, context):
    show_painted(qtbot, context, 2)
    qtbot.waitUntil(lambda: len(shown(nearby)) == 3)
    position = nearby.table.visualRect(nearby.model.index(1, 1)).center()
    qtbot.mouseClick(nearby.table.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert context.current.candidate.id == 8


def test_a_verdict_is_seen_at_once(qtbot, nearby, context, session):
    show_painted(qtbot, context, 2)
    qtbot.waitUntil(lambda: len(shown(nearby)) == 3)
    session.record_verdict(5, Opinion(verdict=Verdict.ACCEPT))
    qtbot.waitUntil(lambda: shown(nearby)[0][3] == "✓ accepted")


def test_the_radius_is_a_setting(qtbot, nearby, context):
    show_painted(qtbot, context, 2)
    context.settings.change(neighbour_arcsec=1.5)
    qtbot.waitUntil(lambda: len(shown(nearby)) == 2)


def test_other_settings_look_for_nobody(qtbot, nearby, context):
    show_painted(qtbot, context, 2)
    qtbot.waitUntil(lambda: len(shown(nearby)) == 3)
    context.settings.change(language="zh")
    assert not nearby._delay.isActive()
    context.settings.change(neighbour_arcsec=1.5)
    assert nearby._delay.isActive()


def test_empty_states_have_words(qtbot, nearby, context):
    assert "No object selected" in nearby.message.text()
    show_painted(qtbot, context, 3)
    qtbot.waitUntil(lambda: "within 3 arcsec" in nearby.message.text())
    show_painted(qtbot, context, 11)
    qtbot.waitUntil(lambda: "no position" in nearby.message.text())
    assert not nearby.table.isVisible()
