"""Attention in nano-eye's shape, forward and back in bfloat16 on one core, against torch's own.

python -m tests.bench attention
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from tests.bench.measuring import figure_line, seconds_of
from train.models.small_model import Shape
from train.sft.fast_path import attend
from train.vision.make import read_recipe
from train.vision.train_text import speech_shape

REPEATS = 20
ROWS = 8
WORDS = 576
"""Tokens of a usual conversation in words."""
PICTURES = 32
PATCHES = 216
"""Of a picture of 252 by 168 pixels."""


def figures(shape: Shape | None = None, repeats: int = REPEATS) -> Iterator[dict[str, object]]:
    """`shape` smaller for a test."""
    recipe = read_recipe()
    model = shape or speech_shape(recipe.speech, recipe.school)
    width, vision = model.hidden // model.heads, model.vision_hidden // model.vision_heads
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    words = drawn(ROWS, model.heads, WORDS, width)
    yield figure(f"{ROWS} conversations of {WORDS} tokens", words, True, repeats)
    patches = drawn(PICTURES, model.vision_heads, PATCHES, vision)
    yield figure(f"{PICTURES} pictures of {PATCHES} patches", patches, False, repeats)
    torch.set_num_threads(threads)


def figure(name: str, tensors: list[Tensor], is_causal: bool, repeats: int) -> dict[str, object]:
    scale = tensors[0].shape[-1] ** -0.5

    def ours(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return attend(query, key, value, scale=scale, is_causal=is_causal)

    def torchs(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return scaled_dot_product_attention(query, key, value, scale=scale, is_causal=is_causal)

    faster, slower = seconds(ours, tensors, repeats), seconds(torchs, tensors, repeats)
    title = f"attention of a layer, {name}"
    return figure_line(title, slower / faster, "times faster", baseline=f"torch's, {slower:.3g} s")


def drawn(rows: int, heads: int, tokens: int, width: int) -> list[Tensor]:
    """Query, key, value and the gradient from above, laid out as the layers hand them over."""
    torch.manual_seed(3)
    apart = [torch.randn(rows, tokens, heads, width).bfloat16() for _ in range(4)]
    return [each.transpose(1, 2) for each in apart]


def seconds(how: Callable[..., Tensor], tensors: list[Tensor], repeats: int) -> float:
    """The quickest of some goes, after one that is not counted."""
    *sources, above = tensors
    for each in sources:
        each.requires_grad_()

    def forth_and_back() -> None:
        torch.autograd.grad(how(*sources), sources, above)

    forth_and_back()
    return min(seconds_of(forth_and_back) for _ in range(repeats))
