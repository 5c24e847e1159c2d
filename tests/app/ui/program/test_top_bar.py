"""The top bar: pages, progress, blind mode, the agent at work."""

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLabel

from agent.trajectory.trajectory import ModelRef
from app.core.session.session import open_session
from app.ui.program.top_bar import PAGES, TopBar
from app.ui.session.inspection.list_run import ListRunState
from app.ui.session.inspection.shown_trajectory import RunningState
from tests.app.ui.candidates import sample_file
from tests.app.ui.conftest import opened_context
from tests.app.ui.steps import click
from tests.app.ui.whole_window import CTRL, before_window


def test_each_page_has_a_button_and_shows_which_is_on(qtbot, tmp_path):
    with before_window(qtbot, sample_file(tmp_path)) as person:
        buttons = person.view.top._buttons
        for page in reversed(PAGES):
            click(qtbot, buttons[page])
            assert person.view.page == page
            assert [name for name, each in buttons.items() if each.isChecked()] == [page]
        from_left = sorted(PAGES, key=lambda page: buttons[page].mapTo(person.window, QPoint()).x())
        for digit, page in enumerate(from_left, start=1):
            person.press(str(digit), CTRL)
            assert buttons[page].isChecked()
        click(qtbot, buttons["judging_page"])
        person.press("a", sees=2)


def test_blind_mode_is_one_click_and_kept_with_the_session(qtbot, tmp_path):
    place = sample_file(tmp_path)
    with before_window(qtbot, place) as person:
        button = person.view.top._blind
        assert "off" in button.text()
        click(qtbot, button)
        assert person.current.blind_mode.is_on and "on" in button.text()
    with before_window(qtbot, place) as person:
        assert person.current.blind_mode.is_on


@pytest.mark.parametrize("read_only", [False, True])
def test_it_says_whose_session_it_is_and_whether_it_can_be_written(qtbot, tmp_path, read_only):
    context = sample_file(tmp_path)
    opened = open_session(context, "Ada <b>L</b>", read_only=read_only)
    with opened as session, opened_context(session) as context:
        bar = TopBar(context)
        qtbot.addWidget(bar)
        words = [each.text() for each in bar.findChildren(QLabel)]
        assert "Ada <b>L</b>" in words and ("read-only" in words) is read_only


def test_the_agents_progress_is_shown_and_all_keys_are_a_click_away(qtbot, context):
    bar = TopBar(context)
    qtbot.addWidget(bar)
    agent = context.agent
    batch = ListRunState(is_running=True, model="nano", done=12, left=48)
    agent.list_run.state = batch
    agent.list_run.changed.emit(batch)
    assert bar.agent_text.full_text.startswith("List: 12 done · 48 left")
    # On a small window the Judge page tells it beside the plot, and the bar keeps its height.
    bar.show()
    bar.resize(1280, bar.height())
    assert bar.agent_text.isHidden()
    bar.mark("overview_page")
    assert not bar.agent_text.isHidden()
    bar.mark("judging_page")
    bar.resize(1920, bar.height())
    qtbot.waitUntil(lambda: not bar.agent_text.isHidden())
    run = RunningState(candidate_id=7, object_id="J7", z=None, model=ModelRef(name="nano"))
    agent.runs[7] = run
    agent.state_changed.emit()
    assert bar.agent_text.full_text == "Agent: loading or waiting, on J7"
    agent.runs.clear()
    agent.list_run.state = ListRunState(done=60)
    agent.state_changed.emit()
    assert bar.agent_text.full_text == "" and bar.agent_text.isHidden()
    run = []
    context.commands.add("keys", lambda: run.append("keys"))
    bar = TopBar(context)
    qtbot.addWidget(bar)
    click(qtbot, bar.keys)
    assert run == ["keys"]
