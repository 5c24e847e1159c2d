"""Messages come and go; what went wrong can be read and copied afterwards."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from agent.errors import WorkbenchError
from agent.trajectory.trajectory import ModelRef
from app.core.errors import SessionError
from app.ui.inspection.list_run import ListRunState
from app.ui.inspection.running import RunningState
from app.ui.judging.status_line import StatusLine
from tests.app.ui.steps import shown_in

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def line(qtbot, context):
    return shown_in(qtbot, StatusLine(context), 640, 28)


def test_what_is_said_is_shown_as_it_is(line, context):
    context.current.said.emit("<b>not bold</b> & plain")
    assert line.message.text() == "<b>not bold</b> & plain"
    assert not line.details.isVisible()


def test_an_error_keeps_its_details_to_be_copied(qtbot, line, context):
    error = SessionError("the disk is full: make room")
    error.__cause__ = OSError(28, "No space left")
    context.current.tell(error)
    assert line.message.text() == "! the disk is full: make room"
    context.current.said.emit("something harmless")
    qtbot.mouseClick(line.details, LEFT)
    qtbot.waitUntil(line.sheet.isVisible)
    qtbot.mouseClick(line.sheet.copy, LEFT)
    line.sheet.close()
    copied = QGuiApplication.clipboard().text()
    assert "the disk is full" in copied
    assert "No space left" in copied


def test_errors_of_the_background_are_told(qtbot, line, context):
    def break_down():
        raise WorkbenchError("the worker is gone")

    context.runner.run(break_down)
    qtbot.waitUntil(lambda: "the worker is gone" in line.message.text())


def test_only_so_many_are_kept(line, context):
    for number in range(50):
        context.current.failed.emit(f"error {number}", "")
    assert len(line.troubles) == 20
    assert line.troubles[-1].message == "error 49"


def test_a_long_message_does_not_widen_the_window(qtbot, line, context):
    context.current.said.emit("long " * 500)
    assert line.minimumSizeHint().width() < 400
    assert line.message.text().endswith("…")
    assert line.message.words == "long " * 500


def test_what_the_agent_does_is_told_while_it_does_it(line, context):
    agent = context.agent
    batch = ListRunState(is_running=True, model="nano", done=12, left=48)
    agent._batch.state = batch
    agent.batch_changed.emit(batch)
    assert line.agent_words.text().startswith("List: 12 done · 48 left")
    run = RunningState(candidate_id=7, object_id="J7", z=None, model=ModelRef(name="nano"))
    agent.runs[7] = run
    agent.state_changed.emit()
    assert line.agent_words.text() == "Agent: loading, or waiting its turn, on J7"
    agent.runs.clear()
    agent._batch.state = ListRunState(done=60)
    agent.state_changed.emit()
    assert line.agent_words.text() == ""


def test_all_commands_are_a_click_away(qtbot, line, context):
    run = []
    context.commands.add("palette", lambda: run.append("palette"))
    assert [each.key for each in line.doors.values()] == ["Ctrl+K", "?", "F1"]
    qtbot.mouseClick(line.doors["palette"], LEFT)
    assert run == ["palette"]


def test_old_news_goes_and_errors_stay(line, context):
    context.current.said.emit("something harmless")
    line._fade.timeout.emit()
    assert line.message.text() == ""
    context.current.tell(SessionError("the disk is full: make room"))
    line._fade.timeout.emit()
    assert "the disk is full" in line.message.text()
