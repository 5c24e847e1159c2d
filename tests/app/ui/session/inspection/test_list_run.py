"""A run over the whole list: it stops, resumes and survives what dies."""

import os
import signal
import sys
from dataclasses import replace

import pytest

from app.core.inspections.store import inspections_of
from tests.app.ui.steps import heard


def done(agent):
    return agent.list_run.state.done > 0 and not agent.list_run.state.is_running


def test_every_candidate_is_inspected_and_none_judged(qtbot, scripted, session):
    agent = scripted.agent
    agent.toggle_list_run()
    qtbot.waitUntil(lambda: done(agent))
    state = agent.list_run.state
    assert (state.done, state.left, state.fault) == (12, 0, "")
    assert all(len(inspections_of(session, number)) == 1 for number in range(1, 13))
    assert all(session.judgement(number) is None for number in range(1, 13))


def test_it_stops_and_goes_on_where_it_was(qtbot, context, session):
    agent = context.agent
    agent.toggle_list_run()
    qtbot.waitUntil(lambda: agent.list_run.state.done >= 1)
    agent.list_run.stop()
    qtbot.waitUntil(lambda: not agent.list_run.state.is_running)
    first = sum(len(inspections_of(session, number)) for number in range(1, 13))
    assert 1 <= first < 12
    agent.toggle_list_run()
    qtbot.waitUntil(lambda: agent.list_run.state.left is not None)
    assert agent.list_run.state.left + agent.list_run.state.done == 12 - first
    agent.toggle_list_run()  # while it runs the same stops it
    qtbot.waitUntil(lambda: not agent.list_run.state.is_running)


def test_it_survives_a_worker_that_dies_while_loading(qtbot, scripted, tmp_path):
    agent = scripted.agent
    agent.worker_model.requested = f"die-unless-there:{tmp_path / 'there'}"
    agent.toggle_list_run()
    qtbot.waitUntil(lambda: done(agent))
    assert (agent.list_run.state.done, agent.list_run.state.faults) == (12, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="processes are not killed by signals there")
def test_it_survives_a_worker_that_is_killed(qtbot, context):
    agent = context.agent
    agent.toggle_list_run()
    qtbot.waitUntil(lambda: agent.list_run.state.done >= 2)
    pid = agent.list_run._pool._clients[0].pid
    os.kill(pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: done(agent))
    state = agent.list_run.state
    assert (state.done, state.faults, state.fault) == (12, 0, "")


def test_a_model_that_cannot_be_loaded_ends_the_run(qtbot, scripted):
    agent = scripted.agent
    scripted.settings.settings = replace(scripted.settings.settings, workers=2)
    agent.worker_model.requested = "refuse"
    assert "no model of that name" in heard(qtbot, scripted.current.failed, agent.toggle_list_run)
    qtbot.waitUntil(lambda: not agent.list_run.state.is_running)
