"""The strip below the plot, moved and resized with the mouse."""

from itertools import product

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from app.ui.judge.plot.minimap.minimap import Bracket
from tests.app.ui.judge.plot.conftest import LEFT, NO, double_click, drag, shown


def strip_x(panel, wavelength):
    strip = panel.minimap
    return round(strip.box.geometry().left() + strip.scale().x(wavelength))


def test_the_strip_lies_under_the_plot_and_is_moved_and_resized(panel, context):
    where = panel.plot.stage.geometry()
    lo, hi = panel.whole
    assert strip_x(panel, lo) == pytest.approx(where.left(), abs=1)
    assert strip_x(panel, hi) == pytest.approx(where.right(), abs=1)
    context.view.set_window((6000.0, 7000.0))
    strip, y = panel.minimap.viewport(), panel.minimap.height() // 2
    step = panel.minimap.scale().per_pixel
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
    context.view.set_window((6000.0, 6400.0))
    QTest.mouseClick(strip, LEFT, NO, QPoint(strip_x(panel, 5000), y))
    assert sum(shown(panel)) / 2 == pytest.approx(5000, abs=15)
    double_click(strip, QPoint(strip_x(panel, 5000), y))
    assert context.view.window is None
    drag(strip, QPoint(strip_x(panel, 5000), y), QPoint(strip_x(panel, 6000), y))
    assert shown(panel) == pytest.approx([5000, 6000], abs=15)
    task, brackets = context.bridge.session.task, panel.minimap.brackets
    assert [each.name for each in brackets.task_windows] == [w.key for w in task.windows]
    first = task.windows[0]
    x = strip_x(panel, sum(first.range) / 2)
    assert panel.minimap.tooltip_at(x) == f"{first.key}: {first.label}"
    context.view.change(z=0.1)
    assert brackets.task_windows[0].range[0] == pytest.approx(first.range[0] * 1.1)


def test_no_bar_covers_the_name_of_another(context, panel):
    """The first is narrower than its name, which reaches into the second."""
    strip = panel.minimap
    per_pixel, ink = strip.scale().per_pixel, QColor(context.current_theme.theme.text)
    edge, empty = 6000.0, (6000.0 + 40 * per_pixel, 6000.0 + 60 * per_pixel)

    def ink_beside(*brackets):
        strip.show_task_windows(brackets)
        image = strip.grab().toImage()
        left = strip_x(panel, edge)
        dots = (image.pixelColor(*dot) for dot in product(range(left, left + 8), range(2, 14)))
        return sum(abs(dot.lightness() - ink.lightness()) < 60 for dot in dots)

    first = Bracket((edge - 4 * per_pixel, edge), "WWW", "")
    alone = ink_beside(first)
    assert alone > 5 and ink_beside(first, Bracket((edge, empty[1]), "", "")) >= alone


def test_names_of_windows_are_whole_in_large_text(context, panel):
    strip = panel.minimap
    for points in (10, 24):
        font = strip.font()
        font.setPointSize(points)
        strip.setFont(font)
        strip.brackets.task_windows = strip.brackets.agent_windows = ()
        bare, heights = strip.grab().toImage(), set()
        for kind in ("task_windows", "agent_windows"):  # above and below the curve
            strip.brackets.task_windows = strip.brackets.agent_windows = ()
            setattr(strip.brackets, kind, (bracket(),))
            image = strip.grab().toImage()
            heights.add(sum(differs(image, bare, y) for y in range(image.height())))
        assert len(heights) == 1 and heights.pop() > points / 2


def bracket():
    return Bracket((5500.0, 6500.0), "(F4)", "")


def differs(image, other, y):
    return any(image.pixel(x, y) != other.pixel(x, y) for x in range(image.width()))
