"""An update of the matrices of nano-eye's language model, against torch's own Muon, on one core.

python -m tests.bench muon
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.optim import Optimizer

from tests.bench.measuring import figure_line, seconds_of
from train.models.small_model import Shape
from train.sft.optimizer import Muon
from train.sft.run import uses_bfloat16
from train.vision.make import read_recipe
from train.vision.train_text import speech_shape

REPEATS = 5
RATE = 1e-3


def figures(shape: Shape | None = None, repeats: int = REPEATS) -> Iterator[dict[str, object]]:
    """`shape` smaller for a test."""
    recipe = read_recipe()
    sizes = shapes(shape or speech_shape(recipe.speech, recipe.school))
    mine, theirs = weights(sizes), weights(sizes)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    product_type = torch.bfloat16 if uses_bfloat16("auto") else torch.float32
    ours = seconds(Muon(mine, lr=RATE, weight_decay=0.0, dtype=product_type), repeats)
    other = torch.optim.Muon(theirs, lr=RATE, adjust_lr_fn="match_rms_adamw")
    slower = seconds(other, repeats)
    torch.set_num_threads(threads)
    title = f"an update of {len(sizes)} matrices"
    baseline = f"torch's Muon, {slower:.3g} s"
    yield figure_line(title, slower / ours, "times faster", baseline=baseline)


def shapes(model: Shape) -> list[tuple[int, int]]:
    """Of the matrices in the layers of the language model."""
    wide, inner = model.hidden, model.ffn
    narrow = wide * model.kv_heads // model.heads
    layer = [(wide, wide), (narrow, wide), (narrow, wide), (wide, wide)]
    return [*layer, (inner, wide), (inner, wide), (wide, inner)] * model.layers


def weights(sizes: list[tuple[int, int]]) -> list[Tensor]:
    torch.manual_seed(3)
    made = [torch.randn(size).requires_grad_() for size in sizes]
    for each in made:
        each.grad = torch.randn_like(each)
    return made


def seconds(optimizer: Optimizer, repeats: int) -> float:
    optimizer.step()
    return min(seconds_of(optimizer.step) for _ in range(repeats))
