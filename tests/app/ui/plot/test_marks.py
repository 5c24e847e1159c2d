"""Marks of lines and bands: by importance, and without overlapping names."""

from __future__ import annotations

from itertools import pairwise

import pytest

from agent.spectra.lines import builtin_lines
from agent.tasks.catalogue import find_task, load_tasks
from app.ui.plot.canvas.scale import Scale
from app.ui.plot.marks import mark_at, marks, place_marks, task_ranks

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


@pytest.mark.parametrize("name", [each.id for each in load_tasks()])
@pytest.mark.parametrize("scale", [WHOLE, CLOSE, Scale(3700, 9100, 0, 1, 60, 60)])
def test_names_never_overlap_and_stay_on_the_plot(name, scale):
    placed = place_marks(of(name), scale, width_of)
    for row in (0, 1):
        spans = sorted(
            (each.label_x, each.label_x + width_of(each.mark.line.label))
            for each in placed
            if each.row == row
        )
        assert all(a[1] < b[0] for a, b in pairwise(spans))
    if scale.width > 100:
        ends = [each.label_x + width_of(each.mark.line.label) for each in placed if each.row >= 0]
        assert ends and max(ends) <= scale.width


def test_few_in_the_whole_spectrum_more_when_closer():
    placed = place_marks(of("CV"), WHOLE, width_of)
    assert len(placed) < 30
    assert {"H_alpha", "H_beta", "HeII_4686"} <= names(placed)
    assert "HeI_4009" not in names(placed)
    assert "HeI_4009" in names(place_marks(of("CV"), Scale(3990, 4050, 0, 1, 700, 400), width_of))


def test_lines_move_with_the_star_and_the_sky_does_not():
    at_rest, moved = of("CV"), of("CV", z=0.01)
    rest = {mark.line.id: mark.wavelength for mark in at_rest}
    assert all(mark.wavelength == pytest.approx(rest[mark.line.id] * 1.01) for mark in moved)
    assert not any(mark.line.kind in ("sky", "telluric") for mark in at_rest)


def test_bands_have_extents_and_heads():
    found = {mark.line.id: mark for mark in of("MG", z=0.001)}
    lo, hi = found["CaH_6903"].extent
    assert lo == pytest.approx(6751.9 * 1.001, abs=1) and hi > lo
    assert found["TiO_7054"].is_band and found["TiO_7054"].line.shaded == "red"


def test_the_nearest_mark_is_found_within_reach():
    placed = place_marks(of("CV"), CLOSE, width_of)
    x = CLOSE.x(6564.6)
    assert mark_at(placed, x + 4, 6).line.id == "H_alpha"
    assert mark_at(placed, x + 30, 6) is None
    assert mark_at([], 0, 6) is None


def test_a_window_names_the_lines_of_its_own_text_first():
    """The Ca II triplet belongs to a set of lines that this task does not show."""
    (window,) = (each for each in find_task("CV").windows if "triplet" in each.label)
    placed = place_marks(of("CV"), Scale(*window.range, 0, 1, 700, 400), width_of)
    assert {"CaII_8498", "CaII_8542", "CaII_8662", "OI_8446"} <= names(placed)
    chosen = marks(builtin_lines(), ("hydrogen",), {}, 0.0)
    assert {each.line.species for each in chosen} == {"H I"}
