"""The agent panel with keys and the mouse."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.core.inspections.store import add_inspection
from app.core.session.records import Verdict
from tests.app.ui.agent.panel_steps import kept, run_here
from tests.app.ui.agent.trajectories import record
from tests.app.ui.scripted_agent import LONG_MS, judged, show_candidate

LEFT = Qt.MouseButton.LeftButton


def test_an_empty_panel_says_how_to_begin(qtbot, context, panel):
    show_candidate(qtbot, context)
    assert panel.empty.text() == "Not inspected yet (V runs the agent)"
    assert panel.stack.currentWidget() is panel.empty
    assert not panel.verdict.isVisible() and not panel.takeover.isVisible()
    assert panel.head.run.key == "V" and panel.head.list.key == "Ctrl+R"
    assert panel.head.run.isEnabled() and not panel.head.stop.isEnabled()


def test_a_run_fills_the_timeline_with_the_models_own_pictures(qtbot, context, panel):
    trajectory = run_here(qtbot, context)
    assert panel.verdict.verdict.text() == trajectory.verdict
    assert panel.verdict.p_yes.full_text.endswith("not calibrated")
    cards = panel.timeline.cards
    assert [card.content.index for card in cards] == list(range(len(trajectory.steps)))
    looks = [card for card in cards if card.content.kind == "look"]
    qtbot.waitUntil(lambda: all(card.has_picture for card in looks), timeout=LONG_MS)
    assert set(panel.pictures.images) == {step.picture for step in trajectory.looks}


def test_blind_mode_shows_nothing_and_says_so(qtbot, context, panel):
    context.current.blind_mode.set_on(True)
    run_here(qtbot, context)
    assert panel.empty.text() == "Hidden until you judge (Shift+V reveals)"
    assert panel.timeline.cards == () and not panel.verdict.isVisible()
    assert panel.pictures.images == {}
    context.commands.run("reveal")
    qtbot.waitUntil(lambda: panel.timeline.cards != (), timeout=LONG_MS)
    assert panel.verdict.isVisible()


def test_in_blind_mode_the_record_appears_with_the_verdict(qtbot, context, panel, session):
    context.current.blind_mode.set_on(True)
    add_inspection(session, 1, record())
    show_candidate(qtbot, context)
    assert panel.timeline.cards == ()
    judged(context, Verdict.ACCEPT)
    qtbot.waitUntil(lambda: panel.timeline.cards != (), timeout=LONG_MS)


def test_escape_stops_only_the_run_of_the_current_candidate(qtbot, scripted, scripted_panel):
    scripted.commands.add("escape", lambda: None)  # as the window does
    show_candidate(qtbot, scripted, act="endless")
    scripted.commands.run("run_agent")
    show_candidate(qtbot, scripted, 2)
    scripted.commands.run("escape")
    assert not scripted.agent.runs[1].is_stopping
    scripted.current.go_to(1)
    with qtbot.waitSignal(scripted.agent.finished, timeout=LONG_MS):
        qtbot.waitUntil(lambda: scripted.agent.shown.run.is_started, timeout=LONG_MS)
        scripted.commands.run("escape")


def test_an_unsupported_claim_is_named(qtbot, context, panel):
    kept(qtbot, context, record())
    answer = panel.timeline.cards[-1].content
    assert answer.warnings == ("Unsupported, window not viewed: Na D",)
