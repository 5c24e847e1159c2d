"""Keys that run, pause and stop the agent, and show what it did."""

import pytest
from PySide6.QtCore import Qt

from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.spectra.readers import read_numbered
from agent.tasks.catalogue import find_task
from app.core.inspections.store import add_inspection
from app.core.session.session import open_session
from tests.app.ui.candidates import copied, sample_file
from tests.app.ui.scripted_agent import show_candidate
from tests.app.ui.whole_window import CTRL, SHIFT, before_window

Key = Qt.Key


def test_the_agent_runs_pauses_and_stops_by_key(qtbot, scripted_window, person):
    show_candidate(qtbot, person.view.context, 1, "steered")
    person.press("v")
    agent = person.view.context.agent
    person.press("p")
    assert agent.is_paused
    person.press("p")
    assert not agent.is_paused
    person.wait(lambda: agent.shown.run is None)
    show_candidate(qtbot, person.view.context, 1, "endless")
    person.press("v")
    agent = person.view.context.agent
    person.wait(lambda: agent.shown.run is not None and agent.shown.run.partial_text)
    person.press("c")
    person.press(Key.Key_Escape)
    assert agent.shown.run is not None and not agent.shown.run.is_stopping
    agent = person.view.context.agent
    person.wait(lambda: agent.shown.run is not None and agent.shown.run.partial_text)
    with qtbot.waitSignal(agent.finished) as ended:
        person.press(Key.Key_Escape)
    assert ended.args[1].stopped_by == "cancelled" and agent.shown.run is None
    agent = person.view.context.agent
    person.press("r", CTRL)
    assert agent.list_run.state.is_running
    person.press("r", CTRL)
    person.wait(lambda: not agent.list_run.state.is_running)


@pytest.fixture(scope="module")
def inspected(tmp_path_factory):
    """A session with the measured inspector's record of the first candidate."""
    place = sample_file(tmp_path_factory.mktemp("inspected"))
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
        person.press("a", sees=2)
        (entry,) = person.log()
        assert entry.shown["revealed"] is True and entry.shown["verdict"] == record.verdict
