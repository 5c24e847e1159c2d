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
from tests.agent.convert.folders import export_pair, model
from tests.small_models import tiny_qwen3, tiny_qwen25
from train.export.reopen import reopen
from train.models.model_folder import load_trainable

__all__ = ["model", "tiny_qwen3", "tiny_qwen25"]


def test_it_computes_the_same(model: Path, tmp_path: Path) -> None:
    """What the weights are used with comes back, too: heads, norms, rotations."""
    reopen(str(export_pair(model, tmp_path / "pair")), tmp_path / "again")
    ids = torch.arange(40, 90)[None]
    with torch.no_grad():
        before, after = (
            load_trainable(folder)(input_ids=ids).logits for folder in (model, tmp_path / "again")
        )
    assert torch.allclose(after, before, atol=1e-5)
    pictures = [
        json.loads((folder / "preprocessor_config.json").read_text("utf-8"))
        for folder in (model, tmp_path / "again")
    ]
    for key in ("image_mean", "image_std", "patch_size", "merge_size"):
        assert pictures[1][key] == pytest.approx(pictures[0][key], rel=1e-6)


def test_towers_are_the_same(model: Path, tmp_path: Path) -> None:
    reopen(str(export_pair(model, tmp_path / "pair")), tmp_path / "again")
    towers = [
        load_trainable(folder).config.vision_config.to_dict()
        for folder in (model, tmp_path / "again")
    ]
    for told in towers:
        told.pop("dtype", None)
        told.pop("initializer_range", None)  # of random weights
    assert towers[1] == towers[0]


def test_words_are_cut_alike(model: Path, tmp_path: Path) -> None:
    reopen(str(export_pair(model, tmp_path / "pair")), tmp_path / "again")
    before, after = (AutoTokenizer.from_pretrained(at) for at in (model, tmp_path / "again"))
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
    assert after.decode(ids, skip_special_tokens=True) == before.decode(
        ids, skip_special_tokens=True
    )
