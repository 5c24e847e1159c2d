"""Pictures in the one size every back-end keeps: resampled here, the same way for all of them.

A back-end that resizes by itself pads or rounds differently, and the model then sees another
picture. One that already fits is passed on pixel for pixel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from PIL import Image

from agent.errors import ImageError

MAX_SIDE = 30_000
MAX_INPUT_PIXELS = 80_000_000
MAX_ASPECT = 200.0
WHITE = (255, 255, 255, 255)


@dataclass(frozen=True)
class Sizing:
    """What a vision encoder takes: sides that are multiples of `factor`, a range of areas.

    28 is Qwen2.5-VL (patches of 14, merged two by two), 32 is Qwen3-VL (16, merged likewise).
    """

    factor: int = 28
    min_pixels: int = 8 * 28 * 28
    max_pixels: int = 1280 * 28 * 28

    def __post_init__(self) -> None:
        if not 1 <= self.factor <= 1024:
            raise ImageError(f"a size factor of {self.factor} is not usable")
        if not self.factor**2 <= self.min_pixels <= self.max_pixels <= MAX_INPUT_PIXELS:
            raise ImageError(
                f"picture areas from {self.min_pixels} to {self.max_pixels} are not usable"
            )

    @classmethod
    def of_tokens(cls, factor: int = 28, fewest: int = 8, most: int = 1280) -> Sizing:
        """Limits in image tokens, one for each `factor` x `factor` square."""
        return cls(factor, fewest * factor**2, most * factor**2)


QWEN25 = Sizing()
QWEN3 = Sizing.of_tokens(32)


def fitted_size(width: int, height: int, sizing: Sizing = QWEN25) -> tuple[int, int]:
    """Width and height after Qwen's rule: nearest multiples, then scaled into the area's limits.

    Halves go to the even multiple, as in Python's `round`. The aspect is kept up to rounding.
    """
    _refuse_absurd(width, height)
    factor = sizing.factor
    nearest_width = max(factor, round(width / factor) * factor)
    nearest_height = max(factor, round(height / factor) * factor)
    area = nearest_width * nearest_height
    if area > sizing.max_pixels:
        shrink = math.sqrt(width * height / sizing.max_pixels)
        return (
            max(factor, math.floor(width / shrink / factor) * factor),
            max(factor, math.floor(height / shrink / factor) * factor),
        )
    if area < sizing.min_pixels:
        grow = math.sqrt(sizing.min_pixels / (width * height))
        return (
            math.ceil(width * grow / factor) * factor,
            math.ceil(height * grow / factor) * factor,
        )
    return nearest_width, nearest_height


def token_grid(width: int, height: int, sizing: Sizing = QWEN25) -> tuple[int, int]:
    """How many image tokens across and down a picture of this size becomes."""
    fitted = fitted_size(width, height, sizing)
    return fitted[0] // sizing.factor, fitted[1] // sizing.factor


def prepare(image: Image.Image, sizing: Sizing = QWEN25) -> Image.Image:
    """The picture as RGB on white in its fitted size; untouched where it fits already."""
    size = fitted_size(*image.size, sizing)
    image = as_rgb(image)
    return image if image.size == size else image.resize(size, Image.Resampling.BICUBIC)


def as_rgb(image: Image.Image) -> Image.Image:
    """Transparent parts become white paper, not the black that a plain conversion leaves."""
    if image.mode == "RGB" and "transparency" not in image.info:
        return image
    if image.has_transparency_data:
        paper = Image.new("RGBA", image.size, WHITE)
        return Image.alpha_composite(paper, image.convert("RGBA")).convert("RGB")
    return image.convert("RGB")


def _refuse_absurd(width: int, height: int) -> None:
    if width < 1 or height < 1:
        raise ImageError(f"a picture of {width} x {height} pixels is empty")
    if max(width, height) > MAX_SIDE or width * height > MAX_INPUT_PIXELS:
        raise ImageError(f"a picture of {width} x {height} pixels is too large")
    if max(width, height) / min(width, height) > MAX_ASPECT:
        raise ImageError(
            f"a picture of {width} x {height} pixels is too narrow: "
            f"one side is more than {MAX_ASPECT:g} times the other"
        )
