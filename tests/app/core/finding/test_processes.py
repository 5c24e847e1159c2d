"""Processes that look: killed ones are replaced, and nothing is lost or done twice."""

import os
import signal
from contextlib import closing

import pytest

from agent.cluster.options import RayPlace
from agent.errors import WorkbenchError
from app.core.finding import processes as processes_module
from app.core.finding import search as search_module
from app.core.finding.processes import FinderActors, FinderProcesses
from app.core.finding.search import Search
from app.core.finding.table import FindTable
from tests.app.core.finding.surveys import SETTINGS, SameProcess, keys_of
from tests.night import ray_by_night


@pytest.fixture
def small_calls(monkeypatch):
    monkeypatch.setattr(search_module, "IN_A_CALL", 2)


def test_killed_processes_are_followed_by_others(survey, tmp_path, small_calls, monkeypatch):
    started, start = [], processes_module.ChildProcess

    def note(command):
        started.append(start(command))
        return started[-1]

    monkeypatch.setattr(processes_module, "ChildProcess", note)
    table = FindTable.made(tmp_path / "a.find", [str(survey)], SETTINGS)
    killed = []

    def kill_now_and_then(state):
        # On a busy machine the one that follows may not have been started yet.
        left = [each.pid for each in started if each.pid not in killed]
        if left and len(killed) < 3 and state.looked_at > 8 * len(killed):
            killed.append(left[-1])
            os.kill(left[-1], signal.SIGKILL)

    with closing(FinderProcesses(2, table.settings)) as finders:
        state = Search(table, on_state=kill_now_and_then).run(finders)
    keys = keys_of(table)
    assert len(killed) == 3
    assert len(started) >= 4
    assert len(keys) == len(set(keys)) == state.looked_at
    # What a process that was killed had in hand is tried again, and blamed only the second time.
    assert state.looked_at + state.unread == 40
    assert state.unread <= 2


def test_processes_that_do_not_start_blame_no_spectrum(survey, tmp_path, monkeypatch):
    monkeypatch.setattr(processes_module, "CHILD", tmp_path / "not there.py")
    table = FindTable.made(tmp_path / "a.find", [str(survey)], SETTINGS)
    with (
        closing(FinderProcesses(2, table.settings)) as finders,
        pytest.raises(WorkbenchError, match="ended with status 2 as it started"),
    ):
        Search(table).run(finders)
    assert not table.parts("unread")


def test_a_stop_ends_the_processes(survey, tmp_path, small_calls):
    table = FindTable.made(tmp_path / "a.find", [str(survey)], SETTINGS)
    told = []
    with closing(FinderProcesses(1, table.settings)) as finders:
        search = Search(
            table, on_state=told.append, should_stop=lambda: any(each.looked_at for each in told)
        )
        state = search.run(finders)
    assert 0 < state.looked_at < 40
    assert len(keys_of(table)) == state.looked_at


@ray_by_night
def test_actors_of_a_cluster_do_the_same(survey, tmp_path, small_calls):
    pytest.importorskip("ray")
    table = FindTable.made(tmp_path / "a.find", [str(survey)], SETTINGS)
    with closing(FinderActors(RayPlace(actors=2), table.settings)) as finders:
        state = Search(table).run(finders)
    assert (state.looked_at, state.unread) == (40, 0)
    assert len(set(keys_of(table))) == 40


def test_two_programs_do_not_search_into_one_table(survey, tmp_path):
    table = FindTable.made(tmp_path / "a.find", [str(survey)], SETTINGS)
    with table.locked(), pytest.raises(WorkbenchError, match="another program searches into"):
        Search(FindTable(table.folder)).run(SameProcess(SETTINGS))
    assert Search(table).run(SameProcess(SETTINGS)).looked_at == 40
