"""A spectrum panel on the screen, with the first candidate painted."""

from __future__ import annotations

import pytest

from app.core.session.records import Verdict
from app.ui.keys.key_filter import KeyFilter
from app.ui.keys.keymap import Keymap
from app.ui.plot.plot_actions import PlotActions
from app.ui.plot.spectrum_panel import SpectrumPanel
from app.ui.widgets.input_filter import InputFilter


@pytest.fixture
def panel(qtbot, context) -> SpectrumPanel:
    made = SpectrumPanel(context)
    PlotActions(made, context)
    qtbot.addWidget(made)
    made.resize(900, 640)
    with qtbot.waitExposed(made):
        made.show()
    context.current.start()
    qtbot.waitUntil(lambda: context.current.is_painted)
    return made


@pytest.fixture
def keys(context, panel):
    """The real keys of the window."""
    context.commands.add("next", context.current.next)
    context.commands.add("accept", lambda: context.current.judge(Verdict.ACCEPT))
    made = KeyFilter(context.commands, Keymap(context.settings), panel, panel.setFocus)
    input_filter = InputFilter(panel, made.handlers)
    yield made
    input_filter.close()
    made.close()
