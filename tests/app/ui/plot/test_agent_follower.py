"""The plot follows the agent's looks, and returns to the user's window afterwards."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint

from agent.trajectory.trajectory import ModelRef, SpectrumRef, Step, Trajectory
from app.ui.widgets.tooltips import plain_html
from tests.app.ui.plot.steps import shown

HERE, THERE = (6450.0, 6750.0), (4800.0, 4900.0)


def test_the_plot_goes_where_the_agent_looks_and_back_when_it_has_ended(context, panel):
    context.view.set_window(THERE, "mine")
    context.agent.shown.look_changed.emit(HERE, "Hα\n  emission")
    assert shown(panel) == pytest.approx(list(HERE))
    assert panel.plot.look.look == HERE and panel.plot.look.label == "Hα emission"
    assert context.view.window_name == "Hα emission"
    context.agent.shown.look_changed.emit((5000.0, 5100.0), "Mg b")
    context.agent.shown.look_changed.emit(None, "")
    assert (context.view.window, context.view.window_name) == (THERE, "mine")
    assert panel.plot.look.look is None


@pytest.mark.parametrize("action", ["escape", "whole"])
def test_the_person_takes_the_plot_back(context, panel, action):
    context.commands.add("escape", lambda: None)
    context.view.set_window(THERE)
    context.agent.shown.look_changed.emit(HERE, "Hα")
    context.commands.run(action)
    assert context.view.window == (THERE if action == "escape" else None)
    assert panel.plot.look.look is None


def test_a_person_who_has_moved_on_is_left_where_they_are(context, panel):
    context.agent.shown.look_changed.emit(HERE, "Hα")
    context.view.set_window(THERE)
    context.agent.shown.look_changed.emit(None, "")
    assert context.view.window == THERE


def test_the_next_object_is_not_seen_through_the_agents_window(qtbot, context, panel):
    context.agent.shown.look_changed.emit(HERE, "Hα")
    context.current.next()
    qtbot.waitUntil(lambda: context.current.is_painted)
    assert context.view.window is None and panel.plot.look.look is None


def test_its_windows_are_numbered_in_the_strip(qtbot, context, panel):
    looks = (
        Step(kind="zoom", range=(6400.0, 6700.0), label="Hα <b>"),
        Step(kind="zoom", range=(1.0, 2.0), error="outside"),
        Step(kind="zoom", range=(4800.0, 4900.0), label="Hβ"),
    )
    trajectory = Trajectory(
        task="CV",
        spectrum=SpectrumRef(z=0.1),
        model=ModelRef(name="x"),
        steps=looks,
        stopped_by="answer",
    )
    context.agent.shown.trajectory_changed.emit(trajectory)
    found = panel.overview.agent_windows
    assert [each.name for each in found] == ["1", "2"]
    assert found[0].range == pytest.approx((6400 * 1.1, 6700 * 1.1))
    x = panel.overview.x_of(7200)
    assert "1: Hα <b>" in panel.overview.tooltip_at(x)
    qtbot.mouseMove(panel.overview.viewport(), QPoint(round(x), 30))
    qtbot.waitUntil(lambda: panel.overview.toolTip() != "")
    assert "&lt;b&gt;" in plain_html(panel.overview.toolTip())
    context.agent.shown.trajectory_changed.emit(None)
    assert panel.overview.agent_windows == ()
