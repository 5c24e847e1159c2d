"""Texts around the frame keep out of it and out of each other."""

from __future__ import annotations

import pytest

from agent.rendering.canvas import Rect
from agent.rendering.layout import Layout
from agent.rendering.scales import flux_scale, wavelength_scale

FRAME = Rect(80.0, 60.0, 480.0, 340.0)


@pytest.fixture(params=[1.0, 1e-17])
def layout(request: pytest.FixtureRequest) -> Layout:
    x, y = wavelength_scale(6385.0, 6715.0, span=300.0), flux_scale(0.0, 9.0 * request.param, 9)
    return Layout(x, y, "Spectrum: star.fits", FRAME)


def test_labels_are_centred_on_their_ticks(layout: Layout) -> None:
    positions = layout.x.to_pixels(layout.x.major, FRAME.x0, FRAME.x1)
    for label, position in zip(layout.x_labels, positions, strict=True):
        assert (label.extent.x0 + label.extent.x1) / 2 == pytest.approx(position)
        assert label.extent.y1 < FRAME.y0
    assert all(label.extent.x1 < FRAME.x0 for label in layout.y_labels)


def test_names_stand_outside_the_labels(layout: Layout) -> None:
    lowest = min(label.extent.y0 for label in layout.x_labels)
    assert layout.x_name.extent.y1 < lowest
    leftmost = min(label.extent.x0 for label in layout.y_labels)
    assert layout.y_name[1].x1 < leftmost
    assert layout.title.extent.y0 > FRAME.y1


def test_a_common_factor_stands_above_the_flux_axis(layout: Layout) -> None:
    assert len(layout.offsets) == bool(layout.y.offset)
    for offset in layout.offsets:
        assert offset.x == FRAME.x0
        assert offset.extent.y0 > FRAME.y1


def test_the_extent_includes_everything_but_the_length_of_names_if_asked(layout: Layout) -> None:
    whole, narrow = (layout.extent(names_count=count) for count in (True, False))
    for box in (FRAME, layout.title.extent, layout.x_name.extent, layout.y_name[1]):
        assert whole.x0 <= box.x0 and whole.y0 <= box.y0
        assert whole.x1 >= box.x1 and whole.y1 >= box.y1
    assert narrow.width <= whole.width and narrow.height <= whole.height
    long = Layout(layout.x, layout.y, "x" * 200, FRAME)
    assert long.extent(names_count=True).width > FRAME.width + 300
    assert long.extent(names_count=False).width == narrow.width
