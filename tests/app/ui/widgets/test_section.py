"""Sections fold by a click on their header, and say then what they hold."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.ui.widgets.section import Section
from tests.app.ui.steps import shown_in


def test_a_click_folds_and_unfolds(qtbot, current_theme):
    section, inside = Section("Velocity", current_theme), QLabel("inside")
    section.body.addWidget(inside)
    shown_in(qtbot, section, 200, 100)
    section.header.set_note("20 km/s")
    assert inside.isVisible() and section.header.accessibleDescription() == "20 km/s"
    unfolded = section.header.grab().toImage()
    qtbot.mouseClick(section.header, Qt.MouseButton.LeftButton)
    assert not inside.isVisible() and not section.header.isChecked()
    assert section.header.grab().toImage() != unfolded
    qtbot.mouseClick(section.header, Qt.MouseButton.LeftButton)
    assert inside.isVisible()
