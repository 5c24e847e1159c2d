"""What a curve draws, in pixels (these fail where private parts of pyqtgraph changed), and how."""

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtGui import QImage, QPainter

from agent.spectra.lines import builtin_lines
from agent.tasks.catalogue import bundled_task
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.base.theme.theme import LIGHT
from app.ui.judge.plot.canvas.curve import Curve, pieces, thin, visible, widened, with_dots
from app.ui.judge.plot.canvas.layers import wide_gaps
from app.ui.judge.plot.canvas.paint import blend, dots_per_pixel, hairline
from app.ui.judge.plot.canvas.plot_box import BREAK_PX, PlotBox, Scale
from app.ui.judge.plot.marks import marks, task_ranks
from app.ui.judge.plot.plot_view import PlotView
from app.ui.judge.plot.trace import trace
from tests.app.ui.judge.plot.spectra import spectrum
from tests.app.ui.steps import shown_in

WIDTH, HEIGHT = 200, 100


@pytest.fixture
def view(qtbot):
    made = pg.GraphicsView(background=LIGHT.plot)
    qtbot.addWidget(made)
    made.centralLayout.setContentsMargins(0.0, 0.0, 0.0, 0.0)
    made.box = PlotBox()
    made.centralLayout.addItem(made.box, 0, 0)
    made.resize(WIDTH, HEIGHT)
    made.box.show_range((0.0, float(WIDTH)), (0.0, float(HEIGHT)))
    return made


def ink(view):
    """Where anything is drawn, by row and column."""
    image = view.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    return rows[:HEIGHT, :WIDTH] < 200


def test_gaps_lone_pixels_and_spikes_to_the_edge(view):
    curve = Curve(view.box, LIGHT)
    x = np.arange(0.0, WIDTH, 4.0)
    level = np.full(x.size, 50.5)
    y = level.copy()
    y[25] = 1e9
    curve.show_data(x, y)
    assert ink(view)[2:50, 97:104].any(axis=1).all()
    y = level.copy()
    y[10:20] = np.nan
    y[15] = 20.5
    curve.show_data(x, y)
    columns = ink(view).any(axis=0)
    assert columns[:35].all() and columns[82:195].all()
    assert set(np.flatnonzero(columns[40:78]) + 40) <= {58, 59, 60, 61, 62}
    assert ink(view)[77:82, 60].any()
    assert widened(np.array([1.0, 2.0, 5.0, 4.0]), 0.5).tolist() == [0.5, 2.5, 5.5, 3.5]
    x, y = with_dots(np.arange(4.0), np.array([1.0, np.nan, 3.0, np.nan]), 0.5)
    assert x.tolist() == [-0.5, 0.5, 1.0, 1.5, 2.5, 3.0]
    assert np.nan_to_num(y).tolist() == [1.0, 1.0, 0.0, 3.0, 3.0, 0.0]
    same = np.arange(3.0)
    assert with_dots(same, same, 0.5)[0] is same


@pytest.mark.parametrize("count", [50, 5000])
def test_other_data_and_another_range_replace_what_was_drawn(view, count):
    curve = Curve(view.box, LIGHT)
    x = np.linspace(0.0, WIDTH, count)
    curve.show_data(x, np.full(count, 80.5))
    assert ink(view)[17:22, 5:-5].any(axis=0).all()
    curve.show_data(x, np.full(count, 30.5))
    now = ink(view)
    assert now[67:72, 5:-5].any(axis=0).all() and not now[:60].any()
    view.box.show_range((0.0, float(WIDTH)), (-50.0, 50.0))
    now = ink(view)
    assert now[17:22, 5:-5].any(axis=0).all() and not now[30:].any()


def test_dashes_leave_gaps(view):
    curve = Curve(view.box, LIGHT, is_dashed=True)
    x = np.linspace(0.0, WIDTH, 40)
    curve.show_data(x, np.full(x.size, 50.5))
    drawn = ink(view).any(axis=0)[5:-5]
    assert 0.4 < drawn.mean() < 0.95


def test_peaks_and_gaps_survive_and_few_points_stay():
    x, y = np.linspace(0, 500, 100_000), np.zeros(100_000)
    y[61_234], y[40_000] = 9.0, -7.0
    thin_x, thin_y = thin(x, y, 500)
    assert thin_x.size <= 2 * 502 and (thin_y.max(), thin_y.min()) == (9.0, -7.0)
    assert abs(thin_x[np.argmax(thin_y)] - x[61_234]) <= 1.0
    y = np.zeros(100_000)
    y[50_000:60_000] = np.nan
    _, thin_y = thin(x, y, 500)
    assert len(pieces(thin_y)) == 2
    few = np.arange(100.0)
    assert thin(few, few, 500)[1] is few
    y = np.array([np.nan, 1, 2, np.nan, np.nan, 3])
    assert pieces(y) == [slice(1, 3), slice(5, 6)]
    assert pieces(np.empty(0)) == [] and pieces(np.full(3, np.nan)) == []
    grid = np.arange(10.0)
    assert visible(grid, 2.5, 4.5) == slice(2, 6) and visible(grid, -5, 50) == slice(0, 10)


def test_colours_become_opaque_and_hairlines_whole_dots():
    assert blend("#80ffffff", "#000000").name() == "#808080"
    assert blend("#00ff0000", "#00ff0000", "#123456").name() == "#123456"
    assert blend("#80ffffff", "#000000").alpha() == 255
    for scale, dots in [(1.0, 1), (1.25, 1), (1.5, 2), (2.0, 2)]:
        image = QImage(40, 40, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(scale)
        painter = QPainter(image)
        assert dots_per_pixel(painter) == scale and hairline(painter, "#000000").widthF() == dots
        painter.end()


BLUE, RED = (4950.0, 5350.0), (6300.0, 6800.0)  # as the arms of LAMOST-MRS
WHOLE = BLUE[0], RED[1]


def two_arms():
    wavelength = np.concatenate([np.linspace(*arm, 1500) for arm in (BLUE, RED)])
    return spectrum(wavelength=wavelength, flux=1.0 + 0.1 * np.sin(wavelength / 20.0))


@pytest.fixture
def plot(qtbot):
    made = shown_in(qtbot, PlotView(LIGHT), 900, 400)
    made.show_trace(trace(two_arms()))
    made.show_axes("Wavelength (Å, vacuum)", "Flux", WavelengthFrame())
    made.show_range(WHOLE, autoscale=True)
    return made


def test_each_arm_fills_its_share_of_the_width_at_one_scale(plot):
    scale = plot.stage.scale_now
    blue, red = (scale.x(arm[1]) - scale.x(arm[0]) for arm in (BLUE, RED))
    assert blue / red == pytest.approx(400.0 / 500.0, rel=0.01)
    assert BREAK_PX < scale.x(RED[0]) - scale.x(BLUE[1]) < 2.0 * BREAK_PX
    assert (scale.x(WHOLE[0]), scale.x(WHOLE[1])) == pytest.approx((0.0, scale.width))
    for wavelength in (*BLUE, 5200.0, 5800.0, *RED, 4000.0, 9000.0):
        assert scale.wavelength(scale.x(wavelength)) == pytest.approx(wavelength, abs=1e-4)
    xs = scale.x(np.array([5000.0, 6500.0]))
    assert xs.tolist() == pytest.approx([scale.x(5000.0), scale.x(6500.0)])


def test_no_number_and_no_mark_of_a_line_is_in_the_break(plot):
    lists, task = builtin_lines(), bundled_task("CV")
    plot.marks.show_marks(marks(lists, task.lines, task_ranks(task, lists), 0.0))
    scale = plot.stage.scale_now
    drawn = [float(text) for _, text in plot.wavelength_axis.content.numbers]
    assert min(drawn) < BLUE[1] < RED[0] < max(drawn)
    assert not any(scale.is_hidden(each) for each in drawn)
    marked = [each.mark.wavelength for each in plot.marks.placed]
    assert marked and not any(map(scale.is_hidden, marked))
    for x, text in plot.wavelength_axis.content.marks:
        assert x == pytest.approx(scale.x(float(text)), abs=0.01)
    plot.grab()  # the layer is painted


def test_one_arm_is_drawn_as_ever_and_so_is_what_is_left_of_a_gap(plot):
    plot.show_range((5000.0, 5300.0), autoscale=True)
    assert plot.stage.scale_now.breaks == ()
    plot.show_range((5000.0, 5600.0), autoscale=True)
    ((first, last),) = plot.stage.scale_now.breaks
    assert BLUE[1] < first < last == 5600.0
    # A window in the gap, and a plot that would be all break.
    plot.show_range((5500.0, 6000.0), autoscale=True)
    assert plot.stage.scale_now.breaks == ()
    box = PlotBox()
    box.show_gaps(((5360.0, 6290.0),))
    assert box.breaks_in(WHOLE, 900.0) and not box.breaks_in(WHOLE, 80.0)
    plot.show_trace(trace(spectrum()))
    plot.show_range(WHOLE, autoscale=True)
    assert plot.stage.scale_now.breaks == ()


def test_only_a_wide_range_without_any_flux_is_a_gap():
    made = two_arms()
    ((first, last),) = wide_gaps(made.wavelength, made.flux)
    assert BLUE[1] < first < BLUE[1] + 20.0 and RED[0] - 20.0 < last < RED[0]
    whole = np.linspace(*WHOLE, 3000)
    flux = np.ones(whole.size)
    assert wide_gaps(whole, flux) == ()
    flux[1000:1100] = np.nan  # a thirtieth of the range
    assert wide_gaps(whole, flux) == ()
    flux[1000:1400] = np.nan
    assert len(wide_gaps(whole, flux)) == 1
    assert wide_gaps(whole, flux * np.nan) == ()


def test_a_scale_without_breaks_is_linear():
    scale = Scale(4000.0, 5000.0, 0.0, 1.0, 500.0, 100.0)
    assert (scale.x(4500.0), scale.wavelength(250.0), scale.per_pixel) == (250.0, 4500.0, 2.0)
    assert scale.view_per_pixel == scale.per_pixel


def test_a_gap_at_the_end_of_a_dense_column_still_parts_the_curve():
    x = np.concatenate([np.linspace(0.0, 9.9, 200), np.linspace(60.0, 69.9, 200)])
    y = np.ones(x.size)
    y[199] = y[200] = np.nan
    thinned_x, thinned = thin(x, y, 100.0)
    between = (thinned_x > 9.6) & (thinned_x < 60.4)
    assert between.any() and np.isnan(thinned[between]).all()
    assert (np.diff(thinned_x) >= 0).all()
