"""Lines, ticks and boxes land on the pixels that they should."""

from __future__ import annotations

import numpy as np
import pytest

from agent.rendering.canvas import BLACK, Canvas, Rect, union

PAGE = Rect(0.0, 0.0, 40.0, 30.0)


def dark(canvas: Canvas) -> tuple[list[int], list[int]]:
    """Rows (from the bottom) and columns with dark pixels."""
    ink = (canvas.rgb() < 128).all(axis=2)[::-1]
    return np.flatnonzero(ink.any(axis=1)).tolist(), np.flatnonzero(ink.any(axis=0)).tolist()


def test_a_canvas_is_white_and_its_picture_a_copy() -> None:
    canvas = Canvas(40, 30, dpi=72)
    picture = canvas.rgb()
    assert picture.shape == (30, 40, 3)
    assert (picture == 255).all()
    canvas.frame(PAGE, 2.0)
    assert (picture == 255).all()


def test_parallel_lines_stand_at_their_positions_and_inside_the_clip() -> None:
    canvas = Canvas(40, 30, dpi=72)
    clip = Rect(0.0, 0.0, 40.0, 20.0)
    canvas.parallel_lines([10.5, 25.5], (0.0, 30.0), BLACK, 1.0, vertical=True, clip=clip)
    rows, columns = dark(canvas)
    assert len(columns) == 2 and columns == pytest.approx([10.5, 25.5], abs=0.5)
    assert (rows[0], rows[-1]) == (0, 19)
    canvas.parallel_lines([], (0.0, 30.0), BLACK, 1.0, vertical=True, clip=clip)
    assert dark(canvas) == (rows, columns)


def test_ticks_grow_upwards_or_to_the_right() -> None:
    upwards, rightwards = Canvas(40, 30, dpi=72), Canvas(40, 30, dpi=72)
    upwards.ticks(np.array([[10.0, 5.0]]), 6.0, 1.0, vertical=True)
    rightwards.ticks(np.array([[10.0, 5.0]]), 6.0, 1.0, vertical=False)
    rows, columns = dark(upwards)
    assert (rows[0], rows[-1]) == pytest.approx((5, 11), abs=1) and len(columns) == 1
    rows, columns = dark(rightwards)
    assert (columns[0], columns[-1]) == pytest.approx((10, 16), abs=1) and len(rows) == 1


def test_a_rounded_box_covers_what_is_below_it() -> None:
    canvas = Canvas(40, 30, dpi=72)
    canvas.parallel_lines([15.5], (0.0, 40.0), BLACK, 3.0, vertical=False, clip=PAGE)
    canvas.rounded_box(Rect(5.0, 5.0, 35.0, 25.0), 3.0, alpha=1.0)
    assert (canvas.rgb()[10:20, 10:30] == 255).all()
    assert (canvas.rgb()[14, :4] < 128).all()


def test_rectangles_move_grow_and_unite() -> None:
    box = Rect(1.0, 2.0, 4.0, 6.0)
    assert (box.width, box.height) == (3.0, 4.0)
    assert box.moved(1.0, -1.0) == Rect(2.0, 1.0, 5.0, 5.0)
    assert box.grown(1.0) == Rect(0.0, 1.0, 5.0, 7.0)
    assert union([box, Rect(0.0, 3.0, 2.0, 9.0)]) == Rect(0.0, 2.0, 4.0, 9.0)
