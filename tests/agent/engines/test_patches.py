from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from agent.engines.families import FAMILIES
from agent.engines.patches import patches, picture_tokens
from agent.errors import ImageError
from agent.rendering.model_image import Sizing, prepare


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
@pytest.mark.parametrize("size", [(800, 480), (560, 364), (90, 1000)])
def test_equal_what_transformers_makes_of_the_picture(family, size, rng):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    vision = family.vision
    noise = rng.integers(0, 256, (size[1], size[0], 3)).astype(np.uint8)
    sizing = Sizing.of_tokens(vision.factor, most=200)
    image = prepare(Image.fromarray(noise), sizing)
    theirs = Qwen2VLImageProcessorPil(
        patch_size=vision.patch,
        min_pixels=sizing.min_pixels,
        max_pixels=sizing.max_pixels,
        image_mean=list(vision.mean),
        image_std=list(vision.std),
    )(image, return_tensors="np")

    ours = patches(image, vision)
    assert [list(ours.grid)] == theirs["image_grid_thw"].tolist()
    assert ours.rows.dtype == np.float32
    assert np.abs(ours.rows - theirs["pixel_values"]).max() < 1e-5
    assert picture_tokens(image, vision) == len(ours.rows) // 4


@pytest.mark.parametrize(
    "image", [Image.new("L", (56, 56)), Image.new("RGB", (56, 57)), Image.new("RGB", (14, 56))]
)
def test_refuse_pictures_that_are_not_sized(image):
    with pytest.raises(ImageError, match="multiples of 28"):
        patches(image, FAMILIES["qwen2_5_vl"].vision)
