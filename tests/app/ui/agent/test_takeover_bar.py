"""A person shows the running agent a window or sends it a remark."""

from __future__ import annotations

from PySide6.QtCore import Qt

from tests.app.ui.scripted_agent import LONG_MS, show_candidate

LEFT = Qt.MouseButton.LeftButton


def test_window_and_remark_reach_a_paused_agent(qtbot, scripted, scripted_panel):
    show_candidate(qtbot, scripted, act="plain")
    bar = scripted_panel.takeover
    scripted.commands.run("run_agent")
    scripted.commands.run("pause_agent")
    assert bar.isVisible() and bar.resume.isVisible()
    assert scripted_panel.head.pause.text() == "Resume"
    scripted.view.set_window((4400.0, 5000.0), "Hβ")
    qtbot.waitUntil(lambda: scripted.agent.shown.run.is_started, timeout=LONG_MS)
    qtbot.keyClicks(bar.remark, "is it broad?")
    qtbot.mouseClick(bar.show_window, LEFT)
    assert bar.remark.text() == ""
    qtbot.keyClicks(bar.remark, "and Na D?")
    qtbot.keyClick(bar.remark, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(scripted_panel.timeline.cards) == 2, timeout=LONG_MS)
    mine, said = (card.content for card in scripted_panel.timeline.cards)
    assert (mine.title, mine.label, mine.text) == ("Look 1 (yours)", "Hβ", "is it broad?")
    assert (said.title, said.text) == ("You", "and Na D?")
    with qtbot.waitSignal(scripted.agent.finished, timeout=LONG_MS):
        qtbot.mouseClick(bar.resume, LEFT)
    assert not bar.isVisible()
