"""What is shown of the agent: live, replayed, read from the session, or hidden."""

from __future__ import annotations

from app.core.session.records import Verdict
from tests.app.ui.agent.trajectories import record
from tests.app.ui.inspection.inspecting import run_to_the_end, windows_seen
from tests.app.ui.scripted_agent import LONG_MS, judged, show_candidate


def test_stepping_through_the_looks_wraps_around(qtbot, scripted):
    show_candidate(qtbot, scripted, act="plain")
    agent = scripted.agent
    with qtbot.waitSignal(scripted.current.message) as said:
        agent.replay_next_look()
    assert "not looked" in said.args[0]
    trajectory = run_to_the_end(qtbot, agent)[1]
    seen = windows_seen(agent)
    agent.replay_next_look()
    agent.replay_next_look()
    shift = 1.0 + trajectory.spectrum.z
    assert shift > 1.0
    window = tuple(edge * shift for edge in trajectory.looks[0].range)
    assert seen == [(window, "Hα")] * 2
    scripted.current.go_to(2)
    assert seen[-1] == (None, "") and agent.shown.step_index == -1


def test_a_record_is_shown_on_coming_back(qtbot, context):
    show_candidate(qtbot, context)
    trajectory = run_to_the_end(qtbot, context.agent)[1]
    context.current.go_to(2)
    assert context.agent.shown.trajectory is None
    context.current.go_to(1)
    qtbot.waitUntil(lambda: context.agent.shown.trajectory == trajectory, timeout=LONG_MS)


def test_a_record_on_screen_counts_as_seen_though_the_row_is_older(qtbot, context):
    show_candidate(qtbot, context)
    shown, current = context.agent.shown, context.current
    assert current.blind_mode.seen_opinion(current.row) == {}
    shown.show(record())
    assert current.row.candidate.agent_verdict is None
    assert current.blind_mode.seen_opinion(current.row) == {"model": record().model.name}


def test_blind_mode_shows_nothing_until_the_verdict(qtbot, context):
    context.current.blind_mode.set_on(True)
    show_candidate(qtbot, context)
    agent = context.agent
    seen = windows_seen(agent)
    trajectory = run_to_the_end(qtbot, agent)[1]
    assert (
        agent.shown.is_hidden
        and agent.shown.trajectory is None
        and agent.shown.steps == ()
        and seen == []
    )
    assert agent.shown.records.trajectories == ()
    with qtbot.waitSignal(context.current.message) as said:
        agent.replay_next_look()
    assert "hidden" in said.args[0]
    judged(context, Verdict.REJECT)
    qtbot.waitUntil(lambda: agent.shown.trajectory == trajectory, timeout=LONG_MS)


def test_what_was_watched_after_revealing_is_recorded(qtbot, scripted):
    scripted.current.blind_mode.set_on(True)
    show_candidate(qtbot, scripted, act="plain")
    agent, current = scripted.agent, scripted.current
    agent.run_here()
    agent.pause()
    agent.insert("look well")
    qtbot.waitUntil(lambda: len(agent.shown.run.steps) > 0, timeout=LONG_MS)
    assert current.blind_mode.seen_opinion(current.row) == {} and agent.shown.steps == ()
    current.reveal()
    assert current.blind_mode.seen_opinion(current.row) == {"model": "good"}
    assert [step.text for step in agent.shown.steps] == ["look well"]
    agent.stop()


def test_a_list_run_shows_the_current_candidates_record(qtbot, scripted):
    show_candidate(qtbot, scripted, 3)
    scripted.agent.toggle_list_run()
    qtbot.waitUntil(lambda: scripted.agent.shown.trajectory is not None, timeout=LONG_MS)
    qtbot.waitUntil(lambda: not scripted.agent.list_run.state.is_running, timeout=LONG_MS)
