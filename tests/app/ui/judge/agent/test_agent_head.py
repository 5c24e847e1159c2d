"""The buttons and the status at the top of the agent panel."""

from app.ui.judge.agent.agent_panel import LOW_LINES
from tests.app.ui.scripted_agent import show_candidate
from tests.app.ui.steps import click


def test_words_stream_into_a_card_while_it_speaks(qtbot, scripted, scripted_panel):
    head = scripted_panel.head
    show_candidate(qtbot, scripted, act="endless")
    click(qtbot, head.run)
    qtbot.waitUntil(lambda: scripted_panel.timeline.cards != ())
    (card,) = scripted_panel.timeline.cards
    assert card.content.kind == "partial" and "Well." in card.content.text
    assert head.state.full_text.startswith("writing") and not head.run.isEnabled()
    with qtbot.waitSignal(scripted.agent.finished):
        click(qtbot, head.stop)
    assert head.state.full_text == "ready · scripted"


def test_the_list_runs_from_its_button(qtbot, scripted, scripted_panel):
    button, line = scripted_panel.head.list, scripted_panel.list_run
    click(qtbot, button)
    assert button.text() == "Stop list"
    qtbot.waitUntil(lambda: not scripted.agent.list_run.state.is_running)
    assert line.text.full_text == "List: 12 done"
    assert button.text() == "Run list" and not line.bar.isVisible()


def test_buttons_show_the_keys_in_use_and_watch_its_setting(context, panel, qtbot):
    context.keymap.rebind("run_agent", ["J"])
    assert panel.head.run.key == "J"
    watch = panel.head.watch
    assert not watch.isChecked() and "1.5 s" in watch.toolTip()
    click(qtbot, watch)
    assert context.settings.settings.watch and watch.isChecked()
    context.agent.set_watched(False)
    assert not watch.isChecked()


def test_a_low_panel_shows_what_can_be_pressed(qtbot, scripted, scripted_panel):
    panel, head = scripted_panel, scripted_panel.head
    high = panel.height()
    panel.setFixedHeight(LOW_LINES * panel.fontMetrics().height() - 1)
    assert head.run.isVisible() and head.list.isVisible() and head.list.key == ""
    assert not (head.pause.isVisible() or head.stop.isVisible())
    assert "Ctrl+R" in head.list.toolTip()
    show_candidate(qtbot, scripted, act="endless")
    click(qtbot, head.run)
    qtbot.waitUntil(lambda: panel.timeline.cards != ())
    assert not head.run.isVisible() and head.pause.isVisible() and head.stop.isVisible()
    with qtbot.waitSignal(scripted.agent.finished):
        click(qtbot, head.stop)
    panel.setFixedHeight(high)
    assert head.run.isVisible() and head.list.key == "Ctrl+R"


def test_pause_and_stop_are_there_while_it_runs_and_move_nothing(qtbot, scripted, scripted_panel):
    panel, head = scripted_panel, scripted_panel.head
    show_candidate(qtbot, scripted, act="endless")
    assert head.run.isVisible() and head.list.isVisible()
    assert not (head.pause.isVisible() or head.stop.isVisible())
    height = head.height()
    click(qtbot, head.run)
    qtbot.waitUntil(lambda: panel.timeline.cards != ())
    assert head.pause.isVisible() and head.stop.isVisible() and not head.run.isVisible()
    assert head.height() == height
    with qtbot.waitSignal(scripted.agent.finished):
        click(qtbot, head.stop)
    assert head.run.isVisible() and not head.stop.isVisible()
