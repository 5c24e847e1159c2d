"""What is shown of the agent: live, replayed, read from the session, or hidden."""

import pytest
from sqlalchemy import insert

from agent.confidence.calibration import Calibration, calibration_to_json
from app.core.database.tables import calibrations
from app.core.inspections.shown_opinion import show_model
from app.core.inspections.store import inspections_of
from app.core.session.records import Verdict
from app.core.session.session import open_session
from app.core.session.verdict_log import now
from app.ui.session.inspection.records import read_records, save_record
from tests.app.ui.judge.agent.trajectories import NANO, SEVEN_B, record
from tests.app.ui.scripted_agent import judged, show_candidate
from tests.app.ui.session.inspection.conftest import run_to_the_end, windows_seen
from tests.app.ui.steps import heard


def test_stepping_through_the_looks_wraps_around(qtbot, scripted):
    show_candidate(qtbot, scripted, act="plain")
    agent = scripted.agent
    assert "not looked" in heard(qtbot, scripted.current.message, agent.replay_next_look)
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
    qtbot.waitUntil(lambda: context.agent.shown.trajectory == trajectory)


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
    shown = agent.shown
    assert shown.is_hidden and shown.trajectory is None and shown.steps == () and seen == []
    assert shown.records.trajectories == ()
    assert "hidden" in heard(qtbot, context.current.message, agent.replay_next_look)
    judged(context, Verdict.REJECT)
    qtbot.waitUntil(lambda: agent.shown.trajectory == trajectory)


def test_what_was_watched_after_revealing_is_recorded(qtbot, scripted):
    scripted.current.blind_mode.set_on(True)
    show_candidate(qtbot, scripted, act="plain")
    agent, current = scripted.agent, scripted.current
    agent.run_here()
    agent.toggle_pause()
    agent.insert("look well")
    qtbot.waitUntil(lambda: len(agent.shown.run.steps) > 0)
    assert current.blind_mode.seen_opinion(current.row) == {} and agent.shown.steps == ()
    current.reveal()
    assert current.blind_mode.seen_opinion(current.row) == {"model": "good"}
    assert [step.text for step in agent.shown.steps] == ["look well"]
    agent.stop()


def test_a_list_run_shows_the_current_candidates_record(qtbot, scripted):
    show_candidate(qtbot, scripted, 3)
    scripted.agent.toggle_list_run()
    qtbot.waitUntil(lambda: scripted.agent.shown.trajectory is not None)
    qtbot.waitUntil(lambda: not scripted.agent.list_run.state.is_running)


def test_the_newest_record_is_default_or_the_preferred_models(session):
    older, newer = record(), record(model=NANO, verdict="NO", p_yes=0.2)
    assert save_record(session, 1, older) and save_record(session, 1, newer)
    records = read_records(session, 1)
    assert records.trajectories == (newer, older) and records.default == newer
    show_model(session, SEVEN_B)
    assert read_records(session, 1).default == older and read_records(session, 2).default is None
    with open_session(session.location, "Ada", read_only=True) as reading:
        assert not save_record(reading, 1, record())


def test_an_interrupted_run_never_replaces_a_finished_one(session):
    finished = record()
    stopped = record(stopped_by="cancelled", verdict=None, p_yes=None)
    assert save_record(session, 1, stopped) and save_record(session, 1, finished)
    assert not save_record(session, 1, stopped)
    assert [each.trajectory for each in inspections_of(session, 1)] == [finished]
    assert not save_record(session, 2, record(stopped_by="cancelled", steps=(), replies=()))


def test_a_calibration_applies_only_to_its_model(session):
    save_record(session, 1, record())
    save_record(session, 1, record(model=NANO))
    platt = {"method": "platt", "slope": 1.0, "intercept": -2.0, "n": 80, "positives": 20}
    rule = Calibration(**platt, model_sha256=SEVEN_B.sha256)
    values = {"model": SEVEN_B.name, "fitted_at": now(), "content": calibration_to_json(rule)}
    with session.database.writing() as connection:
        connection.execute(insert(calibrations).values(values))
    records = read_records(session, 1)
    nano, seven = records.trajectories
    assert records.calibrated(seven) == pytest.approx(rule.apply(0.93))
    assert records.calibrated(nano) is None and records.calibration_of(nano) is None
