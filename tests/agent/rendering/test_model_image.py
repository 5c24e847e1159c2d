import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image

from agent.errors import ImageError
from agent.rendering.model_image import (
    QWEN3,
    QWEN25,
    Sizing,
    as_rgb,
    fitted_size,
    prepare,
    token_grid,
)


@pytest.mark.parametrize(("size", "grid"), [
    ((630, 350), (22, 12)),  # both halfway: to the even multiple
    ((800, 600), (29, 21)),
    ((700, 300), (25, 11)),
    ((2000, 1500), (41, 30)),  # over 1280 tokens
    ((84, 56), (4, 3)),  # under 8 tokens
    ((448, 224), (16, 8)),
    ((792, 472), (28, 17)),
    ((632, 392), (23, 14)),
    ((336, 224), (12, 8)),
    ((1, 1), (3, 3)),
    ((2800, 14), (100, 1)),
    ((1500, 13), (54, 1)),
    ((6000, 30), (214, 1)),
])  # fmt: skip
def test_token_grids(size: tuple[int, int], grid: tuple[int, int]) -> None:
    assert token_grid(*size) == grid
    assert fitted_size(*size) == (28 * grid[0], 28 * grid[1])


def test_other_encoders_use_other_factors() -> None:
    assert fitted_size(800, 600, QWEN3) == (800, 608)
    wide = Sizing(28, 56 * 56, 12_845_056)
    assert fitted_size(2000, 1500, wide) == (1988, 1512)
    assert fitted_size(84, 56, wide) == (84, 56)


@given(
    st.integers(1, 3000),
    st.integers(1, 3000),
    st.sampled_from([QWEN25, QWEN3, Sizing(28, 3136, 12_845_056), Sizing.of_tokens(28, 64, 64)]),
)
def test_sizes_fit_the_encoder(width: int, height: int, sizing: Sizing) -> None:
    assume(max(width, height) <= 200 * min(width, height))
    across, down = fitted_size(width, height, sizing)
    assert across % sizing.factor == down % sizing.factor == 0
    assert min(across, down) >= sizing.factor
    # A side may not go below one factor, so very long pictures can pass the upper limit.
    if min(across, down) > sizing.factor:
        assert across * down <= sizing.max_pixels or sizing.min_pixels == sizing.max_pixels
    if across * down < sizing.min_pixels:
        assert sizing.min_pixels == sizing.max_pixels or width * height > sizing.max_pixels


def test_a_picture_that_fits_is_not_resampled_others_are(rng: np.random.Generator) -> None:
    image = Image.fromarray(rng.integers(0, 256, (224, 336, 3), dtype=np.uint8))
    assert prepare(image) is image
    image = Image.fromarray(rng.integers(0, 256, (472, 792, 3), dtype=np.uint8))
    fitted = prepare(image)
    assert fitted.size == (784, 476)
    expected = image.resize((784, 476), Image.Resampling.BICUBIC)
    assert np.array_equal(np.asarray(fitted), np.asarray(expected))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "I;16", "F"])
def test_every_mode_becomes_rgb(mode: str) -> None:
    fitted = prepare(Image.new(mode, (336, 224)))
    assert (fitted.mode, fitted.size) == ("RGB", (336, 224))


def test_transparent_paper_is_white() -> None:
    clear = Image.new("RGBA", (336, 224), (0, 0, 0, 0))
    assert as_rgb(clear).getpixel((5, 5)) == (255, 255, 255)
    half = Image.new("RGBA", (336, 224), (0, 0, 0, 128))
    assert as_rgb(half).getpixel((5, 5)) == (127, 127, 127)


@pytest.mark.parametrize(
    "size", [(0, 10), (10, 0), (2010, 10), (10, 2010), (40_000, 40_000), (30_001, 30_001)]
)
def test_absurd_sizes_are_refused(size: tuple[int, int]) -> None:
    with pytest.raises(ImageError):
        fitted_size(*size)


def test_the_aspect_survives_and_sizings_that_make_no_sense_are_refused() -> None:
    across, down = fitted_size(4000, 1000)
    assert math.isclose(across / down, 4.0, rel_tol=0.1)
    for factor, least, most in ((0, 1, 10), (28, 10, 784), (28, 2000, 1000), (28, 784, 10**12)):
        with pytest.raises(ImageError):
            Sizing(factor, least, most)
