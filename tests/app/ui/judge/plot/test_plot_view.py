"""The plot: reported once when painted, in the colours of the theme, moved with the mouse."""

import gc
import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtGui import QColor

from app.core.session.measurements import HandMeasurement
from app.ui.base.theme.theme import LIGHT, THEMES
from app.ui.judge.plot.canvas.curve import pieces
from app.ui.judge.plot.marks import ROWS, TOP_PX
from app.ui.judge.plot.measured_layer import width_text
from app.ui.judge.plot.plot_view import PlotView
from app.ui.judge.plot.trace import trace
from tests.app.ui.judge.plot.conftest import LEFT, NO, RIGHT, at, double_click, drag, on_to, shown
from tests.app.ui.judge.plot.spectra import spectrum, with_bad
from tests.app.ui.steps import shown_in, turn_wheel
from tests.app.ui.whole_window import CTRL, SHIFT


def test_each_spectrum_is_told_once_with_the_same_items_in_every_theme(qtbot, context, panel):
    told = []
    panel.plot.painted.connect(told.append)
    on_to(qtbot, context, 3)
    panel.plot.viewport().repaint()
    context.view.change_smoothing(1)
    panel.plot.viewport().repaint()
    assert told == [3]
    items = len(panel.plot.scene().items())
    for number in (2, 3, 4):
        on_to(qtbot, context, number)
    assert len(panel.plot.scene().items()) == items
    for name in THEMES:
        context.current_theme.use(THEMES[name])
        image = panel.plot.grab().toImage()
        where = panel.plot.stage.geometry().topLeft().toPoint()
        assert image.pixelColor(where.x() - 40, 2).name() == THEMES[name].plot


def test_painting_takes_no_reference_to_none_away(context, panel):
    """Some versions of PySide lose a reference to None in each painter call, and then crash."""

    def paint(times):
        for _ in range(times):
            panel.plot.viewport().repaint()
            panel.minimap.apply_theme(context.current_theme.theme)
            panel.minimap.repaint()

    paint(100)
    gc.collect()
    before = sys.getrefcount(None)
    paint(200)
    assert sys.getrefcount(None) - before > -100


def test_bad_pixels_are_drawn_behind_in_stretches():
    drawn = trace(with_bad(1000, 1010))
    wavelength, behind = drawn.underlay
    assert wavelength[np.isfinite(behind)].tolist() == drawn.wavelength[999:1011].tolist()
    mask = np.isin(np.arange(3000), (1000, 1003, 2000))
    _, behind = trace(spectrum(mask=mask)).underlay
    assert [part.stop - part.start for part in pieces(behind)] == [6, 3]
    assert trace(spectrum()).underlay[0].size == 0


LIMIT_S = 120


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_the_frame_is_whole_and_the_line_as_wide_at_every_scale(scale):
    run = subprocess.run(
        [sys.executable, "-m", "tests.app.ui.judge.plot.scaled_plot"],
        env={**os.environ, "QT_SCALE_FACTOR": str(scale), "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True, text=True, timeout=LIMIT_S, check=True,
    )  # fmt: skip
    seen = json.loads(run.stdout)
    assert seen["scale"] == scale and seen["edges"] == [max(round(scale), 1)] * 4
    assert seen["widths"] == pytest.approx([1.3] * 4, abs=0.2)


WINDOW = (6400.0, 6730.0)


@pytest.fixture
def plot(qtbot):
    return shown_in(qtbot, PlotView(LIGHT), 900, 500)


def measured(ew):
    return HandMeasurement(line="Hα", ew=ew, left=(6500.0, 1.0), right=(6630.0, 1.0))


def label_rows(plot, drawn, ew):
    """First and last row with the label's colour in the label's columns, from the stage's top."""
    plot.show_trace(drawn)
    plot.show_range(WINDOW, autoscale=True)
    plot.show_flux(-0.5, 3.5)
    plot.measured.shown = [measured(ew)]
    image = plot.grab().toImage()
    stage, scale = plot.stage.geometry(), plot.stage.scale_now
    middle = round(stage.left() + scale.x(6565.0))
    half = int(plot.texts.width(width_text(measured(ew))) / 2)
    accent = QColor(LIGHT.accent)
    line = stage.top() + scale.y(1.0)
    rows = [
        y
        for y in range(round(stage.top()) + 2, round(stage.bottom()) - 2)
        if abs(y - line) > 6
        for x in range(middle - half, middle + half)
        if _is_near(image.pixelColor(x, y), accent)
    ]
    return min(rows), max(rows), line


def _is_near(colour, other):
    pairs = zip(colour.getRgb()[:3], other.getRgb()[:3], strict=True)
    return all(abs(one - two) < 12 for one, two in pairs)


def test_labels_of_measurements_leave_the_curve_free(plot):
    for ew, peak in [(-20.0, 2.0), (10.0, -0.8)]:
        first, last, line = label_rows(plot, trace(spectrum(peak=peak, noise=0.02)), ew)
        assert first > line if ew < 0 else last < line
        assert last - first < plot.texts.height
    drawn = trace(spectrum(peak=2.0, noise=0.05))
    first, _, _ = label_rows(plot, drawn, -20.0)
    near = np.abs(drawn.wavelength - 6565.0) < 15.0
    lowest = plot.stage.scale_now.y(float(np.nanmin(drawn.flux[near])))
    assert first >= plot.stage.geometry().top() + lowest
    wide = measured(1.0)
    narrow = HandMeasurement(line="He I", ew=1.0, left=(6520.0, 1.0), right=(6560.0, 1.0))
    plot.measured.shown = [narrow, wide]
    assert plot.measured.at(6540.0) is narrow and plot.measured.at(6600.0) is wide
    assert plot.measured.at(6700.0) is None


@pytest.mark.parametrize("points", [10, 14, 24])
def test_names_of_lines_stand_above_the_flux(qtbot, points):
    """Also above the tip of a line that is narrower than five pixels."""
    plot = shown_in(qtbot, PlotView(LIGHT), 900, 360)
    font = plot.font()
    font.setPointSize(points)
    plot.setFont(font)
    made = spectrum()
    flux = made.flux.copy()
    flux[flux.size // 2 - 1 : flux.size // 2 + 2] = 1.1 * np.nanmax(flux)
    plot.show_trace(trace(replace(made, flux=flux)), 1)
    plot.show_range(made.range, autoscale=True)
    highest = plot.stage.scale_now.y(float(np.nanmax(plot.trace.flux)))
    assert highest >= TOP_PX + ROWS * plot.texts.height
    plot.marks.has_names = False  # without names, the flux takes their room
    plot.show_range(made.range, autoscale=True)
    assert plot.stage.scale_now.y(float(np.nanmax(plot.trace.flux))) <= highest


def test_labels_of_measurements_leave_one_another_free(plot):
    """Those of lines beside one another, on both sides of the continuum and at its edges."""
    plot.show_trace(trace(spectrum(noise=0.02)))
    for low, high in [(-0.5, 3.5), (0.9, 1.2)]:
        for ew in (-20.0, 10.0):
            starts = range(6420, 6700, 40)
            plot.measured.shown = [
                HandMeasurement(line="He I 6678", ew=ew, left=(at, 1.0), right=(at + 60.0, 1.0))
                for at in starts
            ]
            plot.show_range(WINDOW, autoscale=True)
            plot.show_flux(low, high)
            plot.grab()
            labels = plot.measured.labels
            assert len(labels) == len(starts)
            assert not any(one.intersects(other) for one, other in combinations(labels, 2))


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
