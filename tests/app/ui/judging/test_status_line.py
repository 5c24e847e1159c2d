"""Messages fade; errors stay and can be copied."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from agent.errors import WorkbenchError
from agent.trajectory.trajectory import ModelRef
from app.core.errors import SessionError
from app.ui.inspection.list_run import ListRunState
from app.ui.inspection.running_state import RunningState
from app.ui.judging.status_line import StatusLine
from tests.app.ui.steps import shown_in

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def line(qtbot, context):
    return shown_in(qtbot, StatusLine(context), 760, 28)


def test_a_message_is_shown_as_plain_text(line, context):
    context.current.message.emit("<b>not bold</b> & plain")
    assert line.message.text() == "<b>not bold</b> & plain"
    assert not line.details.isVisible()


def test_an_error_keeps_its_details_to_be_copied(qtbot, line, context):
    error = SessionError("the disk is full: make room")
    error.__cause__ = OSError(28, "No space left")
    context.current.report_error(error)
    assert line.message.text() == "! the disk is full: make room"
    context.current.message.emit("something harmless")
    qtbot.mouseClick(line.details, LEFT)
    qtbot.waitUntil(line.sheet.isVisible)
    qtbot.mouseClick(line.sheet.copy, LEFT)
    line.sheet.close()
    copied = QGuiApplication.clipboard().text()
    assert "the disk is full" in copied
    assert "No space left" in copied


def test_errors_of_background_work_are_shown(qtbot, line, context):
    def break_down():
        raise WorkbenchError("the worker is gone")

    context.runner.run(break_down)
    qtbot.waitUntil(lambda: "the worker is gone" in line.message.text())


def test_only_so_many_are_kept(line, context):
    for number in range(50):
        context.current.failed.emit(f"error {number}", "")
    assert len(line.errors) == 20
    assert line.errors[-1].message == "error 49"


def test_a_long_message_does_not_widen_the_window(qtbot, line, context):
    before = line.minimumSizeHint().width()
    context.current.message.emit("long " * 500)
    assert line.minimumSizeHint().width() == before < 500
    assert line.message.text().endswith("…")
    assert line.message.full_text == "long " * 500


def test_the_agents_progress_is_shown_while_it_runs(line, context):
    agent = context.agent
    batch = ListRunState(is_running=True, model="nano", done=12, left=48)
    agent.list_run.state = batch
    agent.list_run.changed.emit(batch)
    assert line.agent_text.text().startswith("List: 12 done · 48 left")
    run = RunningState(candidate_id=7, object_id="J7", z=None, model=ModelRef(name="nano"))
    agent.runs[7] = run
    agent.state_changed.emit()
    assert line.agent_text.text() == "Agent: loading or waiting, on J7"
    agent.runs.clear()
    agent.list_run.state = ListRunState(done=60)
    agent.state_changed.emit()
    assert line.agent_text.text() == ""


def test_all_commands_are_a_click_away(qtbot, line, context):
    run = []
    context.commands.add("palette", lambda: run.append("palette"))
    assert [each.key for each in line.buttons.values()] == ["Ctrl+K", "?", "F1"]
    qtbot.mouseClick(line.buttons["palette"], LEFT)
    assert run == ["palette"]


def test_messages_fade_and_errors_stay(line, context):
    context.current.message.emit("something harmless")
    line._fade.timeout.emit()
    assert line.message.text() == ""
    context.current.report_error(SessionError("the disk is full: make room"))
    line._fade.timeout.emit()
    assert "the disk is full" in line.message.text()
