"""Split a picture into the patch rows that Qwen's vision encoders read."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from agent.engines.families import Vision
from agent.errors import ImageError


@dataclass(frozen=True, eq=False)
class ImagePatches:
    """The patches of one picture.

    `rows` is float32 of shape (down * across, values); the patches of a merged square are adjacent.
    `grid` is (frames, patches down, patches across).
    """

    rows: NDArray[np.float32]
    grid: tuple[int, int, int]


def patches(image: Image.Image, vision: Vision) -> ImagePatches:
    """Split a picture whose sides are multiples of the encoder's factor."""
    width, height = image.size
    factor = vision.factor
    if image.mode != "RGB" or width % factor or height % factor or not width or not height:
        raise ImageError(
            f"a {image.mode} picture of {width} x {height} pixels does not fit this model: "
            f"it takes RGB with sides that are multiples of {factor}"
        )
    scale = np.float32(255) * np.asarray(vision.std, np.float32)
    shift = np.float32(255) * np.asarray(vision.mean, np.float32)
    pixels = ((np.asarray(image, np.float32) - shift) / scale).transpose(2, 0, 1)
    side, merge = vision.patch, vision.merge
    down, across = height // side, width // side
    cut = pixels.reshape(3, down // merge, merge, side, across // merge, merge, side)
    # rows: square down, square across, patch down and across in it; values: colour, frame, y, x
    ordered = cut.transpose(1, 4, 2, 5, 0, 3, 6)[..., None, :, :]
    frames = np.broadcast_to(ordered, (*ordered.shape[:-3], vision.frames, side, side))
    return ImagePatches(frames.reshape(down * across, -1), (1, down, across))


def positions(
    ids: NDArray[np.int32], image_token: int, grids: Sequence[tuple[int, int]], merge: int
) -> NDArray[np.int64]:
    """Qwen's time, height and width positions (3, tokens); pictures advance by the longer side."""
    columns, place, at = [], 0, 0
    for down, across in ((down // merge, across // merge) for down, across in grids):
        start = at + int(np.argmax(ids[at:] == image_token))
        columns.append(np.tile(np.arange(place, place + start - at), (3, 1)))
        place += start - at
        squares = np.indices((down, across)).reshape(2, -1)
        columns.append(place + np.vstack([np.zeros_like(squares[:1]), squares]))
        place += max(down, across)
        at = start + down * across
    columns.append(np.tile(np.arange(place, place + ids.size - at), (3, 1)))
    return np.hstack(columns)


def picture_tokens(image: Image.Image, vision: Vision) -> int:
    return (image.width // vision.factor) * (image.height // vision.factor)
