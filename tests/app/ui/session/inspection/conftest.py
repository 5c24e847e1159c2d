"""Steps that the tests of inspections share."""

from tests.app.ui.scripted_agent import measured_first, scripted

__all__ = ["measured_first", "scripted"]


def run_to_the_end(qtbot, agent):
    with qtbot.waitSignal(agent.finished) as ended:
        agent.run_here()
    return ended.args


def windows_seen(agent):
    seen = []
    agent.shown.look_changed.connect(lambda window, label: seen.append((window, label)))
    return seen
