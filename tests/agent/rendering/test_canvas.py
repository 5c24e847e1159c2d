"""Lines, ticks and boxes land on the pixels that they should."""

import string
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from agent.errors import SpectrumError
from agent.rendering import robust, text
from agent.rendering.canvas import BLACK, Canvas, Rect, union
from agent.rendering.published import Layout
from agent.rendering.render import encode
from agent.rendering.scales import flux_scale, tick_steps, wavelength_scale, with_margins
from agent.rendering.text import Font, shape, stack_lines
from agent.rendering.window import cut_window, drawable_pixels, single_line
from agent.spectra.spectrum import Spectrum

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


# The pixels of a spectrum that are drawn, and titles of one line.
def spectrum(flux: list[float], bad: int = 0) -> Spectrum:
    count = len(flux)
    mask = np.arange(count) < bad
    return Spectrum(wavelength=5000.0 + 10.0 * np.arange(count), flux=np.array(flux), mask=mask)


def test_pixels_that_cannot_be_drawn_are_left_out_and_a_cut_includes_both_ends() -> None:
    window = drawable_pixels(spectrum([1.0, np.nan, 2.0, np.inf, -1e300, 3.0]))
    assert window.flux.tolist() == [1.0, 2.0, 3.0]
    assert window.wavelength.tolist() == [5000.0, 5020.0, 5050.0]
    assert window.whole and window.span == 50.0
    window = cut_window(drawable_pixels(spectrum([1.0, 2.0, 3.0, 4.0])), 5010.0, 5020.0)
    assert window.flux.tolist() == [2.0, 3.0]
    assert not window.whole


def test_a_redshift_moves_to_the_rest_frame_and_must_be_possible() -> None:
    assert drawable_pixels(spectrum([1.0, 2.0]), z=1.0).wavelength.tolist() == [2500.0, 2505.0]
    for z in (-0.6, 21.0, float("nan")):
        with pytest.raises(SpectrumError, match="redshift"):
            drawable_pixels(spectrum([1.0, 2.0]), z)


@pytest.mark.parametrize(("bad", "left"), [(0, 6), (2, 4), (3, 3), (4, 6), (6, 6)])
def test_bad_pixels_are_dropped_while_enough_good_ones_remain(bad: int, left: int) -> None:
    assert len(drawable_pixels(spectrum([1.0] * 6, bad)).without_bad()) == left


@pytest.mark.parametrize(("text", "line"), [
    ("a\n\tb\x00", "a b"), ("x" * 20, "x" * 9 + "…"), ("  Hα  ", "Hα"), ("x" * 10, "x" * 10),
])  # fmt: skip
def test_text_is_reduced_to_one_line(text: str, line: str) -> None:
    assert single_line(text, 10) == line


# Texts around the frame keep out of it and out of each other.
FRAME = Rect(80.0, 60.0, 480.0, 340.0)


@pytest.fixture(params=[1.0, 1e-17])
def layout(request: pytest.FixtureRequest) -> Layout:
    x, y = wavelength_scale(6385.0, 6715.0, span=300.0), flux_scale(0.0, 9.0 * request.param, 9)
    return Layout(x, y, "Spectrum: star.fits", FRAME)


def test_labels_names_and_factor_stand_where_they_should(layout: Layout) -> None:
    positions = layout.x.to_pixels(layout.x.major, FRAME.x0, FRAME.x1)
    for label, position in zip(layout.x_labels, positions, strict=True):
        assert (label.extent.x0 + label.extent.x1) / 2 == pytest.approx(position)
        assert label.extent.y1 < FRAME.y0
    assert all(label.extent.x1 < FRAME.x0 for label in layout.y_labels)
    lowest = min(label.extent.y0 for label in layout.x_labels)
    assert layout.x_name.extent.y1 < lowest
    leftmost = min(label.extent.x0 for label in layout.y_labels)
    assert layout.y_name[1].x1 < leftmost
    assert layout.title.extent.y0 > FRAME.y1
    assert len(layout.offsets) == bool(layout.y.offset)
    for offset in layout.offsets:
        assert offset.x == FRAME.x0
        assert offset.extent.y0 > FRAME.y1
    whole, narrow = (layout.extent(names_count=count) for count in (True, False))
    for box in (FRAME, layout.title.extent, layout.x_name.extent, layout.y_name[1]):
        assert whole.x0 <= box.x0 and whole.y0 <= box.y0
        assert whole.x1 >= box.x1 and whole.y1 >= box.y1
    assert narrow.width <= whole.width and narrow.height <= whole.height
    long = Layout(layout.x, layout.y, "x" * 200, FRAME)
    assert long.extent(names_count=True).width > FRAME.width + 300
    assert long.extent(names_count=False).width == narrow.width


# Limits and the pseudo-continuum of the compact pictures.
def test_an_emission_line_of_a_few_pixels_stays_on_the_paper() -> None:
    flux = np.random.default_rng(0).normal(1, 0.1, 4000)
    flux[2000:2004] += 0.5
    assert robust.limits(flux)[1] >= np.median(flux[2000:2004])
    flux[1000:1004] += 1e4
    low, high = robust.limits(flux)
    assert high - low < 2.5


@pytest.mark.parametrize("flux", [np.zeros(30), np.full(30, -2.0), np.r_[np.zeros(29), 1.0]])
def test_a_continuum_is_never_zero(flux: np.ndarray) -> None:
    level = robust.pseudo_continuum(np.linspace(5000, 5100, 30), flux)
    assert (level > 0).all()
    assert np.isfinite(flux / level).all()


# Axis limits, ticks and labels.
@pytest.mark.parametrize(("span", "steps"), [
    *((9000, (1000, 200)), (5000, (1000, 200)), (4999, (200, 50)), (1000, (200, 50))),
    *((999, (100, 20)), (500, (100, 20)), (499, (100, 25)), (300, (100, 25))),
    *((299, (50, 25)), (150, (50, 25)), (149, (25, 5)), (100, (25, 5)), (99, (10, 2))),
    *((50, (10, 2)), (49, (5, 1)), (20, (5, 1)), (19, (2, 0.5)), (5, (2, 0.5))),
    *((4.9, (1, 0.2)), (0.1, (1, 0.2)), (80_000, (10_000, 2000))),
])  # fmt: skip
def test_tick_steps_by_span(span: float, steps: tuple[float, float]) -> None:
    assert tick_steps(span) == steps


def test_ticks_stand_on_the_steps_and_flux_leaves_out_a_common_factor() -> None:
    scale = wavelength_scale(*with_margins(6400.0, 6700.0), span=300.0)
    assert (scale.low, scale.high) == (6385.0, 6715.0)
    assert scale.major == (6400, 6500, 6600, 6700)
    assert scale.labels == ("6400", "6500", "6600", "6700")
    assert scale.minor == tuple(float(at) for at in range(6400, 6701, 25) if at % 100)
    scale = flux_scale(-1.3e-17, 8.9e-17, 9)
    assert scale.offset == "1e−17"
    assert scale.labels == ("0", "2", "4", "6", "8")
    assert np.allclose(np.diff(scale.major), 2e-17, rtol=1e-9)
    assert np.diff(sorted({*scale.minor, *scale.major})).max() < 0.6e-17
    for value in (0.0, 5.0, -3e-17, 1e30):
        low, high = with_margins(value, value)
        assert low < value < high
