"""A spectrum panel on the screen, with the first candidate painted."""

from __future__ import annotations

import pytest

from app.ui.plot.plot_actions import PlotActions
from app.ui.plot.spectrum_panel import SpectrumPanel


@pytest.fixture
def panel(qtbot, workplace) -> SpectrumPanel:
    made = SpectrumPanel(workplace)
    PlotActions(made, workplace)
    qtbot.addWidget(made)
    made.resize(900, 640)
    with qtbot.waitExposed(made):
        made.show()
    workplace.desk.start()
    qtbot.waitUntil(lambda: workplace.desk.is_painted)
    return made
