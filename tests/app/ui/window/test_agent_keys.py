"""Keys that run, pause and stop the agent, and show what it did."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import Qt

from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.spectra.readers import read_numbered
from agent.tasks.catalogue import find_task
from app.core.inspections.store import add_inspection
from app.core.session.session import open_session
from app.ui import session_view
from app.ui.inspection.controller import InspectionController
from tests.app.ui.candidates import copied
from tests.app.ui.scripted_agent import COMMAND, show_candidate
from tests.app.ui.whole_window import CTRL, LONG_MS, SHIFT, before_window

Key = Qt.Key


@pytest.fixture
def scripted(monkeypatch):
    """The agent does what the object's name says."""
    monkeypatch.setattr(
        session_view, "InspectionController", partial(InspectionController, command=COMMAND)
    )


def test_the_agent_runs_and_escape_stops_it(qtbot, scripted, person):
    show_candidate(qtbot, person.view.context, 1, "endless")
    person.press("v")
    agent = person.view.context.agent
    person.wait(lambda: agent.shown.run is not None and agent.shown.run.partial_text)
    with qtbot.waitSignal(agent.finished, timeout=LONG_MS) as ended:
        person.press(Key.Key_Escape)
    assert ended.args[1].stopped_by == "cancelled"
    assert agent.shown.run is None


def test_escape_in_a_field_does_not_stop_the_agent(qtbot, scripted, person):
    show_candidate(qtbot, person.view.context, 1, "endless")
    person.press("v")
    agent = person.view.context.agent
    person.wait(lambda: agent.shown.run is not None and agent.shown.run.partial_text)
    person.press("c")
    person.press(Key.Key_Escape)
    assert agent.shown.run is not None and not agent.shown.run.is_stopping


def test_the_agent_is_paused_and_resumed(qtbot, scripted, person):
    show_candidate(qtbot, person.view.context, 1, "steered")
    person.press("v")
    agent = person.view.context.agent
    person.press("p")
    assert agent.is_paused
    person.press("p")
    assert not agent.is_paused
    person.wait(lambda: agent.shown.run is None)


def test_the_list_is_inspected_and_stopped_with_one_key(scripted, person):
    agent = person.view.context.agent
    person.press("r", CTRL)
    assert agent.list_run.state.is_running
    person.press("r", CTRL)
    person.wait(lambda: not agent.list_run.state.is_running)


@pytest.fixture(scope="module")
def inspected(sample, tmp_path_factory):
    """A session with the measured inspector's record of the first candidate."""
    place = copied(sample, tmp_path_factory.mktemp("inspected"))
    with open_session(place, "Ada") as session:
        seen = session.candidate(1)
        spectrum = read_numbered(str(seen.path), seen.row or 0)
        record = run(MeasuredInspector().inspect(spectrum, find_task("CV")))
        add_inspection(session, 1, record)
    return place, record


def test_space_steps_through_the_evidence(qtbot, tmp_path, inspected):
    place, record = inspected
    with before_window(qtbot, copied(place, tmp_path)) as person:
        person.wait(lambda: person.view.context.agent.shown.trajectory is not None)
        seen = []
        for _ in record.looks:
            person.press(Key.Key_Space)
            seen.append(person.plot_view.window_name)
        assert seen == [look.label for look in record.looks]
        person.press(Key.Key_Escape)  # back to where the person was
        assert person.plot_view.window is None


def test_shift_v_reveals_in_blind_mode(qtbot, tmp_path, inspected):
    place, record = inspected
    with before_window(qtbot, copied(place, tmp_path)) as person:
        person.current.blind_mode.set_on(True)
        person.press(Key.Key_Return)
        assert "Blind mode" in person.view.status.message.full_text
        assert person.view.context.agent.shown.trajectory is None
        person.press("v", SHIFT)
        person.wait(lambda: person.view.context.agent.shown.trajectory is not None)
        person.press("a")
        person.sees(2)
        (entry,) = person.log()
        assert entry.shown["revealed"] is True
        assert entry.shown["verdict"] == record.verdict
