"""Tiny models with random weights, made once in each run of the tests.

A test module takes the fixtures by importing their names:
`from tests.small_models import tiny_qwen3, tiny_qwen25`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from agent.protocol.protocol import opening, system_text
from agent.tasks.catalogue import load_tasks

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from tests.made_once import made_once
from train.models.small_model import (
    TINY,
    FamilyName,
    Shape,
    make_model,
    make_tokenizer,
    save_small_model,
)

# The size of a model that ships in the box.
FOUR_MILLION = Shape(
    hidden=192, ffn=576, layers=6, heads=3, kv_heads=3, vision_hidden=128, vision_ffn=384
)
VOCABULARY = 768
REPLIES = (
    "<think>\nThe flux rises to the blue. Check H alpha.\n</think>\n<tool_call>\n"
    '{"name": "spectral_visualization_tool", "arguments": {"wavelength_range": [6500, 6600], '
    '"label": "H alpha"}}\n</tool_call>',
    "<think>\nBroad emission is seen.\n</think>\n<answer>\\boxed{YES} emission</answer>",
    "<think>\nNo emission is seen.\n</think>\n<answer>\\boxed{NO} absorption alone</answer>",
    "Generated spectral visualization focused on wavelength range (6500, 6600) Å for H alpha.",
)


@cache
def small_tokenizer() -> PreTrainedTokenizerFast:
    tasks = [opening(task)[1].text for task in load_tasks()]
    return make_tokenizer([system_text(), *tasks, *REPLIES * 20], VOCABULARY)


def lively_model(family: FamilyName, shape: Shape = TINY, seed: int = 1) -> PreTrainedModel:
    """Random weights large enough that pictures and order matter and the likeliest token is no
    near tie: logits spread by 2 to 3."""
    model = make_model(family, small_tokenizer(), shape, seed)
    randomness = torch.Generator().manual_seed(seed)

    def draw(tensor: torch.Tensor, std: float, mean: float = 0.0) -> None:
        tensor.normal_(mean, std, generator=randomness)

    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "embed_tokens" in name or "pos_embed" in name:
                draw(weight, 0.25)
            elif weight.ndim > 1:
                draw(weight, 1.2 * weight[0].numel() ** -0.5)
            elif "norm" in name or name.endswith("ln_q.weight"):
                draw(weight, 0.1, 0.0 if name.endswith("bias") else 1.0)
            else:
                draw(weight, 0.1)
    return model


def make_folder(folder: Path, family: FamilyName, shape: Shape = TINY) -> Path:
    save_small_model(folder, lively_model(family, shape), small_tokenizer(), shape)
    return folder


@pytest.fixture(scope="session")
def tiny_qwen25(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "qwen25", lambda at: make_folder(at, "qwen2.5-vl"))


@pytest.fixture(scope="session")
def tiny_qwen3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "qwen3", lambda at: make_folder(at, "qwen3-vl"))
