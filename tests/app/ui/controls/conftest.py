"""The right column, with a spectrum loaded."""

from __future__ import annotations

import pytest

from app.ui.controls.operation_panel import OperationPanel


@pytest.fixture
def panel(qtbot, context):
    made = OperationPanel(context)
    qtbot.addWidget(made)
    made.resize(360, 900)
    with qtbot.waitExposed(made):
        made.show()
    context.current.start()
    qtbot.waitUntil(lambda: context.current.spectrum is not None and bool(made.lines.boxes))
    return made
