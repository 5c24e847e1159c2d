"""What a curve draws, in pixels (these fail where private parts of pyqtgraph changed), and how."""

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtGui import QImage, QPainter

from app.ui.base.theme.theme import LIGHT
from app.ui.judge.plot.canvas.curve import Curve, pieces, thin, visible, widened, with_dots
from app.ui.judge.plot.canvas.paint import blend, dots_per_pixel, hairline
from app.ui.judge.plot.canvas.plot_box import PlotBox

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
