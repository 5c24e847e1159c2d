"""Values of the information table: hidden in blind mode, and copied."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication

from tests.app.ui.information.conftest import texts
from tests.app.ui.steps import show_painted


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
