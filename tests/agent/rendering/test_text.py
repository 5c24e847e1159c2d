from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.rendering import text
from agent.rendering.text import Font, shape, stack_lines

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
