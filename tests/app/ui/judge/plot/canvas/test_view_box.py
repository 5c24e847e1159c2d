"""The mouse on the plot: pan, zoom, boxes and clicks."""

import pytest

from tests.app.ui.judge.plot.conftest import LEFT, NO, RIGHT, at, double_click, drag, shown
from tests.app.ui.steps import turn_wheel
from tests.app.ui.whole_window import CTRL, SHIFT


def wavelength(panel, position):
    return panel.plot.stage.scale_now.wavelength(position.x() - panel.plot.stage.geometry().left())


def test_the_mouse_zooms_pans_and_shows_all(context, panel):
    position = at(panel, 0.25)
    there = wavelength(panel, position)
    turn_wheel(panel.plot.viewport(), 3, position)
    assert wavelength(panel, position) == pytest.approx(there, abs=0.5)
    assert context.view.window == pytest.approx(tuple(shown(panel)))
    assert context.view.window[1] - context.view.window[0] < 4000
    for _ in range(9):
        turn_wheel(panel.plot.viewport(), -3, position)
    assert context.view.window is None
    context.commands.run("whole")
    low, high = panel.plot.stage.ranges[1]
    turn_wheel(panel.plot.viewport(), 2, at(panel, 0.5), CTRL)
    now = panel.plot.stage.ranges[1]
    assert now[1] - now[0] < 0.9 * (high - low) and context.view.window is None
    context.commands.run("whole")
    context.view.set_window((6000.0, 7000.0))
    levels = panel.plot.stage.ranges[1]
    per_pixel = panel.plot.stage.scale_now.per_pixel
    start, end = at(panel, 0.6), at(panel, 0.4)
    drag(panel.plot.viewport(), start, end)
    moved = (start.x() - end.x()) * per_pixel
    assert shown(panel) == pytest.approx([6000 + moved, 7000 + moved], abs=0.1)
    assert panel.plot.stage.ranges[1] == levels
    assert context.view.window == pytest.approx(tuple(shown(panel)))
    for button, keys in [(RIGHT, NO), (LEFT, SHIFT)]:
        context.commands.run("whole")
        start, end = at(panel, 0.7), at(panel, 0.5)
        wanted = sorted((wavelength(panel, start), wavelength(panel, end)))
        drag(panel.plot.viewport(), start, end, button, keys)
        assert shown(panel) == pytest.approx(wanted, abs=2) and panel.plot.look.zoom_box is None
    context.commands.run("whole")
    context.view.set_window((6000.0, 7000.0))
    double_click(panel.plot.viewport(), at(panel, 0.5))
    assert context.view.window is None
