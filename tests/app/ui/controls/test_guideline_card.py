"""The guideline: short first, the rest folded."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from tests.app.ui.controls.steps import click


def test_the_card_is_short_first(panel, context):
    task = context.current.session.task
    seen = " ".join(each.text() for each in panel.findChildren(QLabel) if each.isVisible())
    assert task.question in seen
    assert task.guideline.primary[0] in seen
    assert task.guideline.pitfalls[0] not in seen


def test_a_click_unfolds_the_rest(qtbot, panel, context):
    part = panel.guideline.parts["pitfalls"]
    click(qtbot, part.header)
    seen = [each.text() for each in panel.findChildren(QLabel) if each.isVisible()]
    assert context.current.session.task.guideline.pitfalls[0] in seen
    click(qtbot, part.header)
    assert not part.header.isChecked()
