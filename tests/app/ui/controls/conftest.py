"""The controls of the plot beside one another, with a spectrum loaded."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.controls.guideline_panel import GuidelinePanel
from app.ui.controls.tool_row import ToolRow


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
    made = Controls(context)
    qtbot.addWidget(made)
    made.resize(360, 900)
    with qtbot.waitExposed(made):
        made.show()
    context.current.start()
    qtbot.waitUntil(lambda: context.current.spectrum is not None and bool(made.lines.boxes))
    return made
