"""A slider with two handles: each is dragged, or the range between them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from app.ui.widgets.range_slider import RangeSlider
from tests.app.ui.steps import shown_in


@pytest.fixture
def slider(qtbot, current_theme):
    made = shown_in(qtbot, RangeSlider(current_theme), 400, 22)
    made.show_values((0.0, 100.0), (20.0, 60.0))
    return made


def drag(qtbot, slider, start, end):
    """Press on one value, release on another; the values that were requested last."""
    requested = []
    slider.values_requested.connect(lambda *values: requested.append(values))
    left = Qt.MouseButton.LeftButton
    first, last = (QPoint(round(slider.position(v)), slider.height() // 2) for v in (start, end))
    qtbot.mousePress(slider, left, pos=first)
    qtbot.mouseMove(slider, last)
    qtbot.mouseRelease(slider, left, pos=last)
    return requested[-1]


@pytest.mark.parametrize(
    ("start", "end", "values"),
    [
        (20.0, 40.0, (40.0, 60.0)),
        (60.0, 90.0, (20.0, 90.0)),
        (20.0, 99.0, (60.0, 60.0)),
        (40.0, 50.0, (30.0, 70.0)),
        (40.0, 500.0, (60.0, 100.0)),
    ],
)
def test_handles_and_the_range_between_are_dragged(qtbot, slider, start, end, values):
    assert drag(qtbot, slider, start, end) == pytest.approx(values, abs=0.5)


def test_it_shows_only_what_it_is_given(qtbot, slider):
    drag(qtbot, slider, 20.0, 40.0)
    assert slider.values == (20.0, 60.0)
    slider.show_values((0.0, 100.0), (-10.0, 120.0))
    assert slider.bounds == (-10.0, 120.0)
