"""Steps that the tests of the agent panel share."""

from __future__ import annotations

from app.core.inspections.store import add_inspection
from app.ui.agent.agent_panel import AgentPanel
from tests.app.ui.scripted_agent import LONG_MS, show_candidate


def panel_of(qtbot, context):
    panel = AgentPanel(context)
    qtbot.addWidget(panel)
    panel.resize(360, 500)
    with qtbot.waitExposed(panel):
        panel.show()
    return panel


def run_here(qtbot, context):
    """Inspect the current candidate with the command of the V key."""
    show_candidate(qtbot, context)
    with qtbot.waitSignal(context.agent.finished, timeout=LONG_MS) as ended:
        context.commands.run("run_agent")
    return ended.args[1]


def kept(qtbot, context, *records):
    """Store records of the first candidate and show it."""
    for each in records:
        add_inspection(context.current.session, 1, each)
    show_candidate(qtbot, context)
    qtbot.waitUntil(lambda: context.agent.shown.trajectory is not None, timeout=LONG_MS)
    return context.agent.shown.trajectory
