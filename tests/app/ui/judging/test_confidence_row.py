"""Confidence by key and by click."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.core.session.records import Opinion, Verdict
from tests.app.ui.steps import show_painted

LEFT = Qt.MouseButton.LeftButton


def test_confidence_by_action_and_by_click(qtbot, bar, context, session):
    show_painted(qtbot, context)
    context.commands.run("confidence_3")
    assert bar.confidence.buttons[3].isChecked()
    qtbot.mouseClick(bar.confidence.buttons[4], LEFT)
    context.commands.run("accept_stay")
    assert session.judgement(1).opinion.confidence == 4
    qtbot.mouseClick(bar.confidence.buttons[4], LEFT)  # pressed again: not given
    assert session.judgement(1).opinion == Opinion(verdict=Verdict.ACCEPT)
    assert not bar.confidence.buttons[4].isChecked()
