"""Buttons of the diagnostic windows, their keys, and the one on screen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.ui.controls.window_buttons import WindowButtons
from app.ui.keys.keymap import Keymap
from tests.app.ui.controls.steps import click


def marked(panel):
    return [each.text() for each in panel.windows.buttons if each.is_current]


def test_a_click_shows_the_window_and_marks_its_button(qtbot, panel, context):
    window = context.current.session.task.windows[1]
    click(qtbot, panel.windows.buttons[1])
    assert context.view.window == window.range
    assert context.view.window_name == window.label
    assert marked(panel) == [window.label]
    assert panel.windows.buttons[1].accessibleDescription() == "on screen"


def test_windows_move_with_the_star(qtbot, panel, context):
    context.view.change(z=0.01)
    click(qtbot, panel.windows.buttons[0])
    low, high = context.current.session.task.windows[0].range
    assert context.view.window == pytest.approx((low * 1.01, high * 1.01))


def test_actions_go_through_them_and_round(panel, context):
    labels = [each.label for each in context.current.session.task.windows]
    context.commands.run("next_window")
    assert context.view.window_name == labels[0]
    context.commands.run("previous_window")
    assert context.view.window_name == labels[-1]
    context.commands.run("next_window")
    assert context.view.window_name == labels[0]
    context.commands.run("window_3")
    assert context.view.window_name == labels[2]
    assert not context.commands.can(f"window_{len(labels) + 1}")


def test_another_view_takes_the_mark_away(qtbot, panel, context):
    click(qtbot, panel.windows.buttons[0])
    context.view.set_window((5000.0, 5100.0))
    assert marked(panel) == []


def test_a_window_outside_the_spectrum_is_told_and_passed_over(qtbot, panel, context):
    context.view.change(z=0.4)
    outside = [each for each in panel.windows.buttons if not each.is_covered]
    assert outside
    with qtbot.waitSignal(context.current.message) as signal:
        click(qtbot, outside[0])
    assert outside[0].text() in signal.args[0]
    assert context.view.window is None
    for _ in panel.windows.buttons:
        context.commands.run("next_window")
        assert context.view.window_name not in [each.text() for each in outside]


def test_buttons_show_the_keys_in_use(panel, context):
    assert [each.key for each in panel.windows.buttons][:2] == ["F2", "F3"]
    context.settings.change(keys={"window_1": ("Alt+1",)})
    assert panel.windows.buttons[0].key == "Alt+1"
    assert "Alt+1" in panel.windows.buttons[0].accessibleName()


def test_tips_say_what_to_look_for(panel, context):
    window = context.current.session.task.windows[0]
    tip = panel.windows.buttons[0].toolTip()
    assert window.look in tip
    assert window.mimics.split(".")[0] in tip


def test_a_strangers_words_are_no_markup_in_a_tip(qtbot, panel, context):
    session = context.current.session
    window = replace(session.task.windows[0], label="<b>x", look="<img src=x>", mimics="<u>")
    session.task = replace(session.task, windows=(window,))
    made = WindowButtons(context, Keymap(context.settings, panel))
    qtbot.addWidget(made)
    assert "<img" not in made.buttons[0].toolTip()
    assert "&lt;img" in made.buttons[0].toolTip()


def test_long_names_are_whole_and_beside_each_other_alike(panel):
    buttons = panel.windows.buttons
    for first, second in zip(buttons[::2], buttons[1::2], strict=False):
        assert first.height() == second.height()
    for each in buttons:
        assert each.height() >= each.height_for(each.width())
    assert buttons[0].height_for(60) > buttons[0].height_for(400)
