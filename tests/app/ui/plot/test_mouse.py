"""The mouse on the plot and on the strip below it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NO, CTRL, SHIFT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)


def shown(panel):
    return panel.plot.stage.ranges[0]


def at(panel, share, height=0.5):
    """A place on the stage, in pixels of the plot."""
    where = panel.plot.stage.geometry()
    x, y = where.left() + share * where.width(), where.top() + height * where.height()
    return QPoint(round(x), round(y))


def wavelength(panel, place):
    return panel.plot.stage.scale_now.wavelength(place.x() - panel.plot.stage.geometry().left())


def turn(panel, place, notches, keys=NO):
    viewport = panel.plot.viewport()
    event = QWheelEvent(
        QPointF(place),
        QPointF(viewport.mapToGlobal(place)),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(viewport, event)


def drag(widget, start, end, button=LEFT, keys=NO):
    QTest.mousePress(widget, button, keys, start)
    for share in (0.3, 0.7, 1.0):
        between = start + (end - start) * share
        QTest.mouseMove(widget, between)
        QApplication.processEvents()
    QTest.mouseRelease(widget, button, keys, end)
    QApplication.processEvents()


def test_the_wheel_zooms_at_the_cursor(context, panel):
    place = at(panel, 0.25)
    there = wavelength(panel, place)
    turn(panel, place, 3)
    assert wavelength(panel, place) == pytest.approx(there, abs=0.5)
    assert context.view.window == pytest.approx(tuple(shown(panel)))
    assert context.view.window[1] - context.view.window[0] < 4000
    for _ in range(9):
        turn(panel, place, -3)
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
    assert panel.plot.look.box is None


def test_a_double_click_shows_all(context, panel):
    context.view.set_window((6000.0, 7000.0))
    place = at(panel, 0.5)
    QTest.mouseClick(panel.plot.viewport(), LEFT, NO, place)
    QTest.mouseDClick(panel.plot.viewport(), LEFT, NO, place)
    QApplication.processEvents()
    assert context.view.window is None


def test_the_readout_follows_the_mouse_and_names_a_line(qtbot, context, panel):
    context.view.set_window((6464.6, 6664.6))
    viewport = panel.plot.viewport()
    place = at(panel, 0.5, 0.7)
    qtbot.mouseMove(viewport, at(panel, 0.2))
    qtbot.mouseMove(viewport, place)
    qtbot.waitUntil(lambda: panel.header.readout.text() != "")
    text = panel.header.readout.text()
    assert text.startswith("Hα 6564.6") and "F " in text
    qtbot.mouseMove(viewport, at(panel, 0.25, 0.7))
    qtbot.waitUntil(lambda: "Hα" not in panel.header.readout.text())


def test_a_click_says_what_is_near(context, panel):
    context.view.set_window((6464.6, 6664.6))
    QTest.mouseClick(panel.plot.viewport(), LEFT, NO, at(panel, 0.5))
    QApplication.processEvents()
    assert "Hα" in panel.header.note.text() and "km/s" in panel.header.note.text()


# The strip


def middle(overview):
    return overview.height() // 2


def strip_x(panel, wavelength):
    return round(panel.overview.x_of(wavelength))


def test_the_strip_lies_under_the_plot(panel):
    where = panel.plot.stage.geometry()
    lo, hi = panel.whole
    assert panel.overview.x_of(lo) == pytest.approx(where.left(), abs=1)
    assert panel.overview.x_of(hi) == pytest.approx(where.right(), abs=1)


def test_the_region_is_moved_and_resized(context, panel):
    context.view.set_window((6000.0, 7000.0))
    strip, y = panel.overview, middle(panel.overview)
    step = panel.overview.scale().per_pixel
    x = strip_x(panel, 6500)
    drag(strip, QPoint(x, y), QPoint(x - 40, y))
    assert shown(panel) == pytest.approx([6000 - 40 * step, 7000 - 40 * step], abs=2 * step)
    lo, hi = shown(panel)
    x = strip_x(panel, hi)
    drag(strip, QPoint(x, y), QPoint(x + 30, y))
    assert shown(panel) == pytest.approx([lo, hi + 30 * step], abs=2 * step)
    lo, hi = shown(panel)
    x = strip_x(panel, lo)
    drag(strip, QPoint(x, y), QPoint(x + 900, y))
    assert 0 < shown(panel)[1] - shown(panel)[0] < 10 * step


def test_a_click_on_the_strip_goes_there_and_a_drag_over_all_of_it_draws(context, panel):
    context.view.set_window((6000.0, 6400.0))
    strip, y = panel.overview, middle(panel.overview)
    QTest.mouseClick(strip, LEFT, NO, QPoint(strip_x(panel, 5000), y))
    assert sum(shown(panel)) / 2 == pytest.approx(5000, abs=15)
    QTest.mouseDClick(strip, LEFT, NO, QPoint(strip_x(panel, 5000), y))
    assert context.view.window is None
    drag(strip, QPoint(strip_x(panel, 5000), y), QPoint(strip_x(panel, 6000), y))
    assert shown(panel) == pytest.approx([5000, 6000], abs=15)


def test_the_tasks_windows_are_in_the_strip_and_move_with_the_star(context, panel):
    task = context.bridge.session.task
    assert [each.name for each in panel.overview.task_windows] == [w.key for w in task.windows]
    first = task.windows[0]
    x = strip_x(panel, sum(first.range) / 2)
    assert panel.overview.tooltip_at(x) == f"{first.key}: {first.label}"
    context.view.change(z=0.1)
    assert panel.overview.task_windows[0].range[0] == pytest.approx(first.range[0] * 1.1)
