"""Lines, ticks and boxes land on the pixels that they should."""

import string
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from agent.rendering import text
from agent.rendering.canvas import BLACK, Canvas, Rect, union
from agent.rendering.render import encode
from agent.rendering.text import Font, shape, stack_lines

PAGE = Rect(0.0, 0.0, 40.0, 30.0)


def dark(canvas: Canvas) -> tuple[list[int], list[int]]:
    """Rows (from the bottom) and columns with dark pixels."""
    ink = (canvas.rgb() < 128).all(axis=2)[::-1]
    return np.flatnonzero(ink.any(axis=1)).tolist(), np.flatnonzero(ink.any(axis=0)).tolist()


def test_a_canvas_is_white_its_picture_a_copy_and_a_box_covers_what_is_below() -> None:
    canvas = Canvas(40, 30, dpi=72)
    picture = canvas.rgb()
    assert picture.shape == (30, 40, 3)
    assert (picture == 255).all()
    canvas.frame(PAGE, 2.0)
    assert (picture == 255).all()
    canvas = Canvas(40, 30, dpi=72)
    canvas.parallel_lines([15.5], (0.0, 40.0), BLACK, 3.0, vertical=False, clip=PAGE)
    canvas.rounded_box(Rect(5.0, 5.0, 35.0, 25.0), 3.0, alpha=1.0)
    assert (canvas.rgb()[10:20, 10:30] == 255).all()
    assert (canvas.rgb()[14, :4] < 128).all()


def test_parallel_lines_stand_at_their_positions_and_inside_the_clip() -> None:
    canvas = Canvas(40, 30, dpi=72)
    clip = Rect(0.0, 0.0, 40.0, 20.0)
    canvas.parallel_lines([10.5, 25.5], (0.0, 30.0), BLACK, 1.0, vertical=True, clip=clip)
    rows, columns = dark(canvas)
    assert len(columns) == 2 and columns == pytest.approx([10.5, 25.5], abs=0.5)
    assert (rows[0], rows[-1]) == (0, 19)
    canvas.parallel_lines([], (0.0, 30.0), BLACK, 1.0, vertical=True, clip=clip)
    assert dark(canvas) == (rows, columns)


def test_ticks_grow_upwards_or_to_the_right_and_rectangles_move_grow_and_unite() -> None:
    upwards, rightwards = Canvas(40, 30, dpi=72), Canvas(40, 30, dpi=72)
    upwards.ticks(np.array([10.0]), 5.0, 6.0, 1.0, vertical=True)
    rightwards.ticks(np.array([5.0]), 10.0, 6.0, 1.0, vertical=False)
    rows, columns = dark(upwards)
    assert (rows[0], rows[-1]) == pytest.approx((5, 11), abs=1) and len(columns) == 1
    rows, columns = dark(rightwards)
    assert (columns[0], columns[-1]) == pytest.approx((10, 16), abs=1) and len(rows) == 1
    box = Rect(1.0, 2.0, 4.0, 6.0)
    assert (box.width, box.height) == (3.0, 4.0)
    assert box.moved(1.0, -1.0) == Rect(2.0, 1.0, 5.0, 5.0)
    assert box.grown(1.0) == Rect(0.0, 1.0, 5.0, 7.0)
    assert union([box, Rect(0.0, 3.0, 2.0, 9.0)]) == Rect(0.0, 2.0, 4.0, 9.0)


@pytest.mark.parametrize("shape", [(1, 1, 3), (3, 7, 3), (224, 336, 3)])
def test_every_pixel_comes_back(shape: tuple[int, int, int], rng: np.random.Generator) -> None:
    pixels = rng.integers(0, 256, shape, dtype=np.uint8)
    data = encode(pixels)
    Image.open(BytesIO(data)).verify()
    opened = Image.open(BytesIO(data))
    assert opened.mode == "RGB"
    assert np.array_equal(np.asarray(opened), pixels)


def test_dots_per_inch_are_written_where_given() -> None:
    paper = np.full((4, 4, 3), 255, np.uint8)
    assert Image.open(BytesIO(encode(paper, dpi=80))).info["dpi"] == pytest.approx((80, 80), 1e-3)
    assert "dpi" not in Image.open(BytesIO(encode(paper))).info


@pytest.mark.parametrize("pixels", [np.zeros((2, 2, 4), np.uint8), np.zeros((2, 2, 3))])
def test_other_arrays_are_refused(pixels: np.ndarray) -> None:
    with pytest.raises(ValueError, match="8-bit RGB"):
        encode(pixels)


FONTS = [Font(9), Font(10), Font(12, bold=True), Font(14, bold=True), Font(13, dpi=72)]
LETTERS = string.printable[:95] + "Åλ−"


@pytest.mark.skipif(not text.HAS_GLYPH_CALLS, reason="lines are not composed without them")
@given(st.text(LETTERS, min_size=1, max_size=40), st.sampled_from(FONTS))
def test_a_line_composed_of_pairs_equals_the_line_shaped_whole(line: str, font: Font) -> None:
    assert shape(line, font) == text._whole(line, font)


@pytest.mark.skipif(not text.HAS_GLYPH_CALLS, reason="glyphs are not listed without them")
def test_ligatures_are_kept() -> None:
    assert len(shape("fi", FONTS[0]).glyphs) == 1
    assert len(shape("spec.fits", FONTS[0]).glyphs) == len("spec.fits") - 1


def test_lines_stack_from_the_top_and_align() -> None:
    block = stack_lines(("wide line", "i"), FONTS[0], "right")
    (left, upper), (inset, lower) = block.offsets
    assert left == 0
    assert upper > lower > 0
    assert inset + block.runs[1].width == block.width == block.runs[0].width
    assert stack_lines(("Å",), FONTS[0]).height >= stack_lines(("x",), FONTS[0]).height


@given(st.text(max_size=30))
def test_any_text_is_measured_without_complaint(line: str) -> None:
    assert shape(line, FONTS[1]).width >= 0


def test_the_glyph_store_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MAX_CACHED_GLYPHS", 10)
    text.clear_caches()
    index = shape("8", FONTS[0]).glyphs[0][0]
    for x in range(64):
        text.glyph_bitmap(FONTS[0], index, x, 0, vertical=False)
        assert len(text._glyphs) <= 10
