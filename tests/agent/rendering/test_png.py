from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from agent.rendering.png import encode


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
