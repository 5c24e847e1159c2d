"""The controls of the plot beside one another, with a spectrum loaded."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.judge.controls.guideline_panel import GuidelinePanel
from app.ui.judge.controls.tool_row import ToolRow
from tests.app.ui.steps import shown_in


class Controls(QWidget):
    """All controls of the tool row, out of their popovers, and the guideline."""

    def __init__(self, context):
        super().__init__()
        self.row, guideline = ToolRow(context), GuidelinePanel(context)
        self.guideline = guideline.card
        self.templates = self.row.templates
        layout = QVBoxLayout(self)
        layout.addWidget(self.row)
        for name in ("smoothing", "velocity", "range", "template", "lines", "axes", "links"):
            setattr(self, name, getattr(self.row, name))
            layout.addWidget(getattr(self.row, name))
        layout.addWidget(guideline)


@pytest.fixture
def panel(qtbot, context):
    made = shown_in(qtbot, Controls(context), 360, 900)
    context.current.start()
    qtbot.waitUntil(lambda: context.current.spectrum is not None and bool(made.lines.boxes))
    return made


def tick(qtbot, box):
    """Click on the square: space to the right of the text does not react."""
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))


def type_in(qtbot, box, text, key=Qt.Key.Key_Return):
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, text)
    if key is not None:
        qtbot.keyClick(box, key)


def drag(qtbot, slider, value, to):
    """Press the mouse on one value and release it on another."""
    left = Qt.MouseButton.LeftButton
    start, end = (QPoint(round(slider.position(v)), slider.height() // 2) for v in (value, to))
    qtbot.mousePress(slider, left, pos=start)
    qtbot.mouseMove(slider, end)
    qtbot.mouseRelease(slider, left, pos=end)


def write_table(path):
    wavelength = np.linspace(4000.0, 8000.0, 400)
    np.savetxt(path, np.column_stack([wavelength, np.sin(wavelength / 300) + 2]), fmt="%.4f")
    return str(path)
