"""The right column, its folded sections, and the focus."""

from __future__ import annotations

from PySide6.QtCore import Qt

from tests.app.ui.controls.steps import click


def test_a_folded_section_says_what_it_holds(qtbot, panel, context):
    section = panel.sections["smoothing"]
    context.view.change_smoothing(1)
    click(qtbot, section.header)
    assert not panel.smoothing.isVisible()
    assert section.header.note == panel.smoothing.text


def test_nothing_takes_the_focus_from_the_plot(qtbot, panel):
    click(qtbot, panel.windows.buttons[0])
    click(qtbot, panel.sections["lines"].header)
    click(qtbot, panel.smoothing.more)
    assert not panel.windows.buttons[0].hasFocus()
    assert panel.smoothing.more.focusPolicy() == Qt.FocusPolicy.NoFocus
