"""Actions are dispatched by name."""

import pytest

from app.ui.base.actions.commands import Commands


@pytest.fixture
def ran():
    return []


@pytest.fixture
def commands(qapp, ran):
    commands = Commands()
    commands.add("next", lambda: ran.append("next"))
    commands.add("peek", lambda: ran.append("peek"), lambda: ran.append("end"))
    return commands


def test_a_command_runs_and_is_announced(qtbot, commands, ran):
    with qtbot.waitSignal(commands.ran) as signal:
        commands.run("next")
    assert (signal.args, ran) == (["next"], ["next"])
    commands.run("previous")
    assert ran == ["next"]


def test_a_held_command_ends_on_release(commands, ran):
    commands.run("peek")
    for name in ("next", "peek"):
        commands.release(name)
    assert ran == ["peek", "end"] and commands.has_end("peek") and not commands.has_end("next")


def test_a_page_overrides_a_command_for_a_while(commands, ran):
    commands.override({"next": lambda: ran.append("of the page")})
    assert commands.is_overridden("next") and not commands.is_overridden("peek")
    commands.run("next")
    commands.override({})
    commands.run("next")
    assert ran == ["of the page", "next"]


def test_unknown_actions_are_refused_and_cleared_ones_are_gone(commands, ran):
    with pytest.raises(KeyError, match="unknown action 'fly'"):
        commands.add("fly", lambda: None)
    commands.clear()
    commands.run("next")
    assert not commands.can("next") and ran == []
