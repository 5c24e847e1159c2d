"""What is drawn beside the curve: names of lines that do not overlap, shades, errors, badges."""

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QObject, Qt

from agent.spectra.lines import builtin_lines
from agent.tasks.catalogue import find_task, load_tasks
from app.ui.judge.plot.canvas.plot_box import Scale
from app.ui.judge.plot.marks import mark_at, marks, place_marks, task_ranks
from app.ui.judge.plot.readout import PlotLineLists
from app.ui.judge.plot.shades import column_values, merged
from tests.app.ui.judge.plot.conftest import HALPHA

WHOLE = Scale(3700, 9100, 0, 1, 700, 400)
CLOSE = Scale(6500, 6700, 0, 1, 700, 400)


def of(name, z=0.0):
    here = find_task(name)
    ranks = task_ranks(here, builtin_lines())
    return marks(builtin_lines(), here.lines, ranks, z, ranks)


def width_of(text):
    return 7.0 * len(text)


def names(placed):
    return {each.mark.line.id for each in placed if each.row >= 0}


def test_names_never_overlap_and_there_are_more_when_closer():
    for scale in [WHOLE, CLOSE, Scale(3700, 9100, 0, 1, 60, 60)]:
        for name in [each.id for each in load_tasks()]:
            placed = place_marks(of(name), scale, width_of)
            for row in (0, 1):
                spans = sorted(
                    (each.label_x, each.label_x + width_of(each.mark.line.label))
                    for each in placed
                    if each.row == row
                )
                assert all(a[1] < b[0] for a, b in pairwise(spans))
            if scale.width > 100:
                ends = [
                    each.label_x + width_of(each.mark.line.label)
                    for each in placed
                    if each.row >= 0
                ]
                assert ends and max(ends) <= scale.width
    placed = place_marks(of("CV"), WHOLE, width_of)
    assert len(placed) < 30 and {"H_alpha", "H_beta", "HeII_4686"} <= names(placed)
    assert "HeI_4009" not in names(placed)
    assert "HeI_4009" in names(place_marks(of("CV"), Scale(3990, 4050, 0, 1, 700, 400), width_of))


def test_lines_move_with_the_star_and_bands_have_extents():
    at_rest, moved = of("CV"), of("CV", z=0.01)
    rest = {mark.line.id: mark.wavelength for mark in at_rest}
    assert all(mark.wavelength == pytest.approx(rest[mark.line.id] * 1.01) for mark in moved)
    assert not any(mark.line.kind in ("sky", "telluric") for mark in at_rest)
    found = {mark.line.id: mark for mark in of("MG", z=0.001)}
    lo, hi = found["CaH_6903"].extent
    assert lo == pytest.approx(6751.9 * 1.001, abs=1) and hi > lo
    assert found["TiO_7054"].is_band and found["TiO_7054"].line.shaded == "red"


def test_the_nearest_mark_is_found_and_a_window_names_its_own_lines_first():
    placed = place_marks(of("CV"), CLOSE, width_of)
    x = CLOSE.x(6564.6)
    assert mark_at(placed, x + 4, 6).line.id == "H_alpha" and mark_at(placed, x + 30, 6) is None
    assert mark_at([], 0, 6) is None
    # The Ca II triplet belongs to a set of lines that this task does not show.
    (window,) = (each for each in find_task("CV").windows if "triplet" in each.label)
    placed = place_marks(of("CV"), Scale(*window.range, 0, 1, 700, 400), width_of)
    assert {"CaII_8498", "CaII_8542", "CaII_8662", "OI_8446"} <= names(placed)
    chosen = marks(builtin_lines(), ("hydrogen",), {}, 0.0)
    assert {each.line.species for each in chosen} == {"H I"}


def test_names_of_lines_go_and_the_window_of_the_agent_is_drawn(qtbot, panel, keys, context):
    before = panel.plot.grab().toImage()
    qtbot.keyClick(panel, Qt.Key.Key_L, Qt.KeyboardModifier.ShiftModifier)
    assert panel.plot.marks.isVisible() and panel.plot.grab().toImage() != before
    context.view.set_window((6000.0, 7000.0))
    before = panel.plot.grab().toImage()
    panel.plot.show_look(HALPHA, "Hα")
    framed = panel.plot.grab().toImage()
    panel.plot.show_look(HALPHA, "")
    assert before != framed != panel.plot.grab().toImage()


def test_windows_are_joined_and_a_column_of_the_band_is_interpolated_or_the_extreme():
    windows = ((5.0, 6.0), (1.0, 3.0), (2.0, 4.0), (4.0, 4.5), (2.0, 2.5))
    assert merged(windows) == ((1.0, 4.5), (5.0, 6.0)) and merged(()) == ()
    sparse = column_values(np.array([0.5, 4.5]), np.array([0.0, 4.0]), 5, np.fmax)
    assert sparse.tolist() == [0, 1, 2, 3, 4]
    at, values = np.array([0.1, 0.5, 0.9, 1.5]), np.array([1.0, 8.0, 1.0, 2.0])
    dense = column_values(at, values, 2, np.fmax)
    assert dense.tolist() == [8, 2]
    gap = column_values(np.array([0.5, 1.5, 2.5]), np.array([1.0, np.nan, 3.0]), 3, np.fmax)
    assert gap[0] == 1 and np.isnan(gap[1]) and gap[2] == 3


def test_the_sky_is_shaded_and_badges_painted_where_something_is_unusual(panel, context):
    names = [name for _, name in panel.plot.shades.names]
    assert names and not any(name[-1].isdigit() and "-" in name for name in names)
    shades = panel.plot.shades
    sky = builtin_lines().terrestrial[0]
    wavelengths = np.array([sky.wavelength, 4200.0])
    assert shades.covers(wavelengths).tolist() == [True, False]
    context.view.change(mask=False)
    assert not shades.covers(wavelengths).any()
    assert panel.plot.badges.shown == () and not panel.plot.badges.isVisible()
    context.view.change(lines=False, mask=False)
    before = upper_right(panel)
    context.view.change(medium="air")
    assert panel.plot.badges.shown == ("air",)
    changed = sum(a != b for a, b in zip(before, upper_right(panel), strict=True))
    assert changed > 100
    context.view.change(medium="vacuum")
    assert upper_right(panel) == before


def upper_right(panel):
    """The dots of the part of the plot where badges stand."""
    image, box = panel.plot.grab().toImage(), panel.plot.stage.geometry()
    across = range(round(box.center().x()), round(box.right()) - 2)
    down = range(round(box.top()), round(box.top() + 0.3 * box.height()))
    return [image.pixel(x, y) for x in across for y in down]


@pytest.fixture
def lists(context):
    parent = QObject()
    made = PlotLineLists(context, parent)
    yield made
    parent.deleteLater()


def test_lines_of_the_task_come_before_nearer_ones_and_others_keep_their_names(lists):
    nearest = lists.lists.nearest(6562.9, 30.0)[0]
    assert nearest.label == "He II 6560"  # in vacuum 6561.9, and Hα at 6564.6
    assert lists.name_near(6562.9, 0.0) == "Hα" and lists.name_near(6562.9 * 1.01, 0.01) == "Hα"
    assert lists.name_near(8183.0 + 2.3, 0.0).startswith("Na I")
    assert lists.name_near(9999.0 * 3.0, 0.0) == "29997"
