"""The mouse on the plot: pan, zoom, boxes and clicks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from tests.app.ui.plot.steps import CTRL, LEFT, NO, RIGHT, SHIFT, at, double_click, drag, shown


def wavelength(panel, position):
    return panel.plot.stage.scale_now.wavelength(position.x() - panel.plot.stage.geometry().left())


def turn(panel, position, notches, keys=NO):
    viewport = panel.plot.viewport()
    event = QWheelEvent(
        QPointF(position),
        QPointF(viewport.mapToGlobal(position)),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(viewport, event)


def test_the_wheel_zooms_at_the_cursor(context, panel):
    position = at(panel, 0.25)
    there = wavelength(panel, position)
    turn(panel, position, 3)
    assert wavelength(panel, position) == pytest.approx(there, abs=0.5)
    assert context.view.window == pytest.approx(tuple(shown(panel)))
    assert context.view.window[1] - context.view.window[0] < 4000
    for _ in range(9):
        turn(panel, position, -3)
    assert context.view.window is None


def test_the_wheel_with_ctrl_zooms_the_flux(context, panel):
    low, high = panel.plot.stage.ranges[1]
    turn(panel, at(panel, 0.5), 2, CTRL)
    now = panel.plot.stage.ranges[1]
    assert now[1] - now[0] < 0.9 * (high - low)
    assert context.view.window is None


def test_a_drag_pans_and_keeps_the_flux(context, panel):
    context.view.set_window((6000.0, 7000.0))
    levels = panel.plot.stage.ranges[1]
    per_pixel = panel.plot.stage.scale_now.per_pixel
    start, end = at(panel, 0.6), at(panel, 0.4)
    drag(panel.plot.viewport(), start, end)
    moved = (start.x() - end.x()) * per_pixel
    assert shown(panel) == pytest.approx([6000 + moved, 7000 + moved], abs=0.1)
    assert panel.plot.stage.ranges[1] == levels
    assert context.view.window == pytest.approx(tuple(shown(panel)))


@pytest.mark.parametrize(("button", "keys"), [(RIGHT, NO), (LEFT, SHIFT)])
def test_a_box_zooms(context, panel, button, keys):
    start, end = at(panel, 0.7), at(panel, 0.5)
    wanted = sorted((wavelength(panel, start), wavelength(panel, end)))
    drag(panel.plot.viewport(), start, end, button, keys)
    assert shown(panel) == pytest.approx(wanted, abs=2)
    assert panel.plot.look.zoom_box is None


def test_a_double_click_shows_all(context, panel):
    context.view.set_window((6000.0, 7000.0))
    position = at(panel, 0.5)
    double_click(panel.plot.viewport(), position)
    assert context.view.window is None
