"""Steps that the tests of inspections share."""

from __future__ import annotations

from tests.app.ui.scripted_agent import LONG_MS


def run_to_the_end(qtbot, agent):
    with qtbot.waitSignal(agent.finished, timeout=LONG_MS) as ended:
        agent.run_here()
    return ended.args


def windows_seen(agent):
    seen = []
    agent.shown.look_changed.connect(lambda window, label: seen.append((window, label)))
    return seen
