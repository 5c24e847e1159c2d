"""A person shows the running agent a window or sends it a remark."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from app.ui.judge.agent import agent_panel
from app.ui.judge.agent.agent_panel import AgentPanel, reads_remarks
from app.ui.widgets.labels import column
from tests.app.ui.scripted_agent import show_candidate
from tests.app.ui.steps import click, shown_in


@pytest.fixture
def reader(monkeypatch):
    """The scripted agent is no bundled model; here it can read remarks."""
    monkeypatch.setattr(agent_panel, "reads_remarks", lambda name: True)


@pytest.mark.usefixtures("reader")
def test_window_and_remark_reach_a_paused_agent(qtbot, scripted, scripted_panel):
    show_candidate(qtbot, scripted, act="plain")
    bar = scripted_panel.takeover
    scripted.commands.run("run_agent")
    scripted.commands.run("pause_agent")
    assert bar.isVisible() and bar.resume.isVisible()
    qtbot.waitUntil(bar.remark.isVisible)
    assert not bar.no_remarks.isVisible() and scripted_panel.head.pause.text() == "Resume"
    scripted.view.set_window((4400.0, 5000.0), "Hβ")
    qtbot.waitUntil(lambda: scripted.agent.shown.run.is_started)
    qtbot.keyClicks(bar.remark, "is it broad?")
    click(qtbot, bar.show_window)
    assert bar.remark.text() == ""
    qtbot.keyClicks(bar.remark, "and Na D?")
    qtbot.keyClick(bar.remark, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(scripted_panel.timeline.cards) == 2)
    mine, said = (card.content for card in scripted_panel.timeline.cards)
    assert (mine.title, mine.label, mine.text) == ("Look 1 (yours)", "Hβ", "is it broad?")
    assert (said.title, said.text) == ("You", "and Na D?")
    with qtbot.waitSignal(scripted.agent.finished):
        click(qtbot, bar.resume)
    assert not bar.isVisible()


@pytest.fixture
def window(qtbot, scripted):
    """A window whose only other field would get the focus, as Find does."""
    window = QWidget()
    window.panel, window.find = AgentPanel(scripted), QLineEdit()
    column(window.panel, window.find, parent=window)
    return shown_in(qtbot, window)


@pytest.mark.usefixtures("reader")
def test_after_a_remark_and_handing_back_no_field_has_the_focus(qtbot, scripted, window):
    show_candidate(qtbot, scripted, act="plain")
    bar = window.panel.takeover
    scripted.commands.run("run_agent")
    scripted.commands.run("pause_agent")
    qtbot.waitUntil(lambda: scripted.agent.shown.run.is_started)
    qtbot.waitUntil(bar.remark.isVisible)
    click(qtbot, bar.remark)
    qtbot.keyClicks(bar.remark, "is it broad?")
    assert bar.remark.hasFocus()
    with qtbot.waitSignal(bar.handed_back):
        qtbot.keyClick(bar.remark, Qt.Key.Key_Return)
    assert not isinstance(QApplication.focusWidget(), QLineEdit)
    click(qtbot, bar.remark)
    qtbot.keyClicks(bar.remark, "unsent")
    with qtbot.waitSignal(bar.handed_back), qtbot.waitSignal(scripted.agent.finished):
        click(qtbot, bar.resume)
    assert not bar.isVisible() and not isinstance(QApplication.focusWidget(), QLineEdit)
    assert window.find.text() == ""


@pytest.mark.usefixtures("reader")
def test_a_run_that_ends_takes_the_focus_from_the_remark_but_gives_it_to_no_field(
    qtbot, scripted, window
):
    show_candidate(qtbot, scripted, act="endless")
    bar = window.panel.takeover
    scripted.commands.run("run_agent")
    qtbot.waitUntil(bar.remark.isVisible)
    click(qtbot, bar.remark)
    with qtbot.waitSignal(bar.handed_back):
        scripted.agent.stop()
    qtbot.waitUntil(lambda: scripted.agent.shown.run is None)
    assert not isinstance(QApplication.focusWidget(), QLineEdit)


def test_a_model_that_cannot_read_remarks_says_so_and_has_no_box(qtbot, scripted, scripted_panel):
    show_candidate(qtbot, scripted, act="endless")
    bar = scripted_panel.takeover
    scripted.commands.run("run_agent")
    qtbot.waitUntil(bar.no_remarks.isVisible)
    assert bar.no_remarks.text() == "This model cannot read remarks"
    assert not bar.remark.isVisible() and bar.show_window.isVisible()
    qtbot.waitUntil(lambda: scripted.agent.shown.run.is_started)
    with qtbot.waitSignal(scripted.agent.finished):
        scripted.agent.stop()


@pytest.mark.parametrize(
    ("model", "reads"),
    [("measured", False), ("Measured", False), ("nano-eye", False), ("spec-o3-7b", True),
     ("/no/such/model", True), ("http://localhost:1/v1#m", True)],
)  # fmt: skip
def test_the_card_says_who_reads_remarks(model, reads):
    assert reads_remarks(model) is reads
