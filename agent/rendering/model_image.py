"""Resizes pictures to a size that every engine keeps.

Engines that resize by themselves pad and round differently, so the model would see another picture.
They pass on a picture of the right size pixel by pixel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from PIL import Image

from agent.errors import ImageError

MAX_SIDE = 30_000
MAX_INPUT_PIXELS = 80_000_000
MAX_ASPECT = 200.0  # as in Qwen's own resizing
WHITE = (255, 255, 255, 255)


@dataclass(frozen=True)
class Sizing:
    """Sizes that a vision encoder accepts: sides are multiples of `factor`, areas are limited.

    The factor is 28 for Qwen2.5-VL (14-pixel patches, merged 2 x 2) and 32 for Qwen3-VL (16-pixel).
    """

    factor: int = 28
    min_pixels: int = 8 * 28 * 28
    max_pixels: int = 1280 * 28 * 28

    def __post_init__(self) -> None:
        if not 1 <= self.factor <= 1024:
            raise ImageError(f"the size factor must be from 1 to 1024, but it is {self.factor}")
        if not self.factor**2 <= self.min_pixels <= self.max_pixels <= MAX_INPUT_PIXELS:
            areas = f"{self.min_pixels} to {self.max_pixels} pixels"
            raise ImageError(f"picture areas from {areas} are not valid")

    @classmethod
    def of_tokens(cls, factor: int = 28, fewest: int = 8, most: int = 1280) -> Sizing:
        """Limits given in image tokens of `factor` x `factor` pixels."""
        return cls(factor, fewest * factor**2, most * factor**2)


QWEN25 = Sizing()
QWEN3 = Sizing.of_tokens(32)


def fitted_size(width: int, height: int, sizing: Sizing = QWEN25) -> tuple[int, int]:
    """Width and height by Qwen's rule: nearest multiples, then scaled into the limits of the area.

    Halves round to the even multiple, as in Python's `round`.
    """
    if width < 1 or height < 1:
        raise ImageError(f"a picture of {width} x {height} pixels is empty")
    if max(width, height) > MAX_SIDE or width * height > MAX_INPUT_PIXELS:
        raise ImageError(f"a picture of {width} x {height} pixels is too large")
    if max(width, height) / min(width, height) > MAX_ASPECT:
        problem = f"one side is more than {MAX_ASPECT:g} times the other"
        raise ImageError(f"a picture of {width} x {height} pixels is too narrow: {problem}")
    factor = sizing.factor
    nearest_width = max(factor, round(width / factor) * factor)
    nearest_height = max(factor, round(height / factor) * factor)
    area = nearest_width * nearest_height
    if area > sizing.max_pixels:
        shrink = math.sqrt(width * height / sizing.max_pixels)
        across, down = (math.floor(side / shrink / factor) for side in (width, height))
        return max(factor, across * factor), max(factor, down * factor)
    if area < sizing.min_pixels:
        grow = math.sqrt(sizing.min_pixels / (width * height))
        across, down = (math.ceil(side * grow / factor) for side in (width, height))
        return across * factor, down * factor
    return nearest_width, nearest_height


def token_grid(width: int, height: int, sizing: Sizing = QWEN25) -> tuple[int, int]:
    """Image tokens (across, down) of a picture of this size."""
    fitted = fitted_size(width, height, sizing)
    return fitted[0] // sizing.factor, fitted[1] // sizing.factor


def prepare(image: Image.Image, sizing: Sizing = QWEN25) -> Image.Image:
    """Convert to RGB in the fitted size; a picture that fits is returned unchanged."""
    size = fitted_size(*image.size, sizing)
    image = as_rgb(image)
    return image if image.size == size else image.resize(size, Image.Resampling.BICUBIC)


def as_rgb(image: Image.Image) -> Image.Image:
    """Convert to RGB on a white background."""
    if image.mode == "RGB" and "transparency" not in image.info:
        return image
    if image.has_transparency_data:  # a plain conversion would turn these parts black
        background = Image.new("RGBA", image.size, WHITE)
        return Image.alpha_composite(background, image.convert("RGBA")).convert("RGB")
    return image.convert("RGB")
