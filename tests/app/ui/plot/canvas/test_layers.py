"""The window of the agent on the plot."""

from __future__ import annotations

from tests.app.ui.plot.steps import HALPHA


def test_the_window_of_the_agent_is_drawn_with_its_name(context, panel):
    context.view.set_window((6000.0, 7000.0))
    before = panel.plot.grab().toImage()
    panel.plot.show_look(HALPHA, "Hα")
    framed = panel.plot.grab().toImage()
    panel.plot.show_look(HALPHA, "")
    assert before != framed != panel.plot.grab().toImage()
