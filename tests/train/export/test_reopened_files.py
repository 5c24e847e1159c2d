"""The configs and the tokenizer of a reopened model equal those of the original."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("gguf")
pytest.importorskip("torch")

import torch
from transformers import AutoTokenizer

from agent.protocol.protocol import opening
from agent.tasks.catalogue import load_tasks
from tests.agent.convert.folders import export_pair
from tests.small_models import tiny_qwen3, tiny_qwen25
from train.export.reopen import reopen
from train.models.model_folder import load_trainable

__all__ = ["tiny_qwen3", "tiny_qwen25"]


@pytest.fixture(scope="module", params=["tiny_qwen25", "tiny_qwen3"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folder of a model, and of the model reopened."""
    model: Path = request.getfixturevalue(request.param)
    place = tmp_path_factory.mktemp("reopened")
    reopen(str(export_pair(model, place / "pair")), place / "again")
    return [model, place / "again"]


def test_it_computes_the_same(both: list[Path]) -> None:
    """What the weights are used with comes back, too: heads, norms, rotations."""
    ids = torch.arange(40, 90)[None]
    with torch.no_grad():
        before, after = (load_trainable(folder)(input_ids=ids).logits for folder in both)
    assert torch.allclose(after, before, atol=1e-5)
    files = [folder / "preprocessor_config.json" for folder in both]
    pictures = [json.loads(file.read_text("utf-8")) for file in files]
    for key in ("image_mean", "image_std", "patch_size", "merge_size"):
        assert pictures[1][key] == pytest.approx(pictures[0][key], rel=1e-6)


def test_towers_are_the_same(both: list[Path]) -> None:
    towers = [load_trainable(folder).config.vision_config.to_dict() for folder in both]
    for told in towers:
        told.pop("dtype", None)
        told.pop("initializer_range", None)  # of random weights
    assert towers[1] == towers[0]


def test_words_are_cut_alike(both: list[Path]) -> None:
    before, after = (AutoTokenizer.from_pretrained(at) for at in both)
    assert len(after) == len(before)
    assert (after.eos_token, after.pad_token) == (before.eos_token, before.pad_token)
    for task in load_tasks():
        for turn in opening(task):
            ids = before(turn.text).input_ids
            assert after(turn.text).input_ids == ids
            assert after.decode(ids) == before.decode(ids)
    said = "<|im_start|>a\n<tool_call>naïve Å 6563.0</tool_call><|im_end|>"
    ids = before(said).input_ids
    assert after(said).input_ids == ids
    # a call must survive where control tokens are left out
    kept, original = (one.decode(ids, skip_special_tokens=True) for one in (after, before))
    assert kept == original
