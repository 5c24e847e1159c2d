"""The information panel follows the current candidate."""

from __future__ import annotations

from PySide6.QtCore import Qt

from tests.app.ui.information.conftest import texts
from tests.app.ui.steps import show_painted


def test_the_panel_follows_the_current_candidate(qtbot, panel, context, session):
    assert panel.empty.isVisible()
    show_painted(qtbot, context, 2)
    qtbot.waitUntil(lambda: texts(panel).get("designation") == session.candidate(2).object_id)
    assert not panel.empty.isVisible()
    show_painted(qtbot, context, 3)
    qtbot.waitUntil(lambda: texts(panel).get("designation") == session.candidate(3).object_id)


def test_the_header_unfolds(qtbot, panel, context):
    show_painted(qtbot, context, 2)
    qtbot.waitUntil(lambda: "header" in panel._headings.values())
    row = max(panel._headings)
    assert "VERSPIPE" not in texts(panel)
    panel.view.scrollToBottom()
    position = panel.view.visualRect(panel.model.index(row, 0)).center()
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert "VERSPIPE" in texts(panel)


def test_it_folds_away(qtbot, panel, context):
    show_painted(qtbot, context, 2)
    qtbot.mouseClick(panel.card.heading, Qt.MouseButton.LeftButton)
    assert not panel.view.isVisible()
    qtbot.mouseClick(panel.card.heading, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(panel.view.isVisible)
