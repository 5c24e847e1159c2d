"""Line marks on the plot."""

from __future__ import annotations

from PySide6.QtCore import Qt


def test_names_go_and_the_lines_stay(qtbot, panel, keys):
    before = panel.plot.grab().toImage()
    qtbot.keyClick(panel, Qt.Key.Key_L, Qt.KeyboardModifier.ShiftModifier)
    assert panel.plot.marks.isVisible() and panel.plot.grab().toImage() != before
