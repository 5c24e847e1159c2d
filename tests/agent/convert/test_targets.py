"""Every tensor of a checkpoint has its place in the GGUF files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gguf")
pytest.importorskip("torch")

import torch
from safetensors.torch import load_file, save_file

from agent.convert.checkpoint import ConversionError
from tests.agent.convert.folders import copy25, edit, read_gguf
from tests.small_models import tiny_qwen3, tiny_qwen25
from train.export.export import export_gguf

__all__ = ["copy25", "tiny_qwen3", "tiny_qwen25"]


def test_shards_untied_heads_and_older_names(copy25: Path) -> None:
    weights = load_file(copy25 / "model.safetensors")
    (copy25 / "model.safetensors").unlink()
    head = torch.randn(768, 128, generator=torch.Generator().manual_seed(0))
    shards = {
        "a.safetensors": {name: t for name, t in weights.items() if name.startswith("visual.")},
        "b.safetensors": {
            name.replace("model.", "model.language_model."): tensor
            for name, tensor in weights.items()
            if not name.startswith("visual.")
        }
        | {"lm_head.weight": head},
    }
    for name, content in shards.items():
        save_file(content, copy25 / name)
    index = {"weight_map": {key: name for name, content in shards.items() for key in content}}
    (copy25 / "model.safetensors.index.json").write_text(json.dumps(index))
    edit(
        copy25,
        "config.json",
        lambda config: config["text_config"].update(tie_word_embeddings=False),
    )
    export_gguf(copy25, copy25 / "out", lm_type="f32")
    made = read_gguf(copy25 / "out" / "model-f32.gguf")
    assert np.array_equal(made["output.weight"], head.numpy())


def test_a_head_that_is_the_embedding_is_written_once(copy25: Path) -> None:
    weights = load_file(copy25 / "model.safetensors")
    head = {"lm_head.weight": weights["model.embed_tokens.weight"].clone()}
    save_file(weights | head, copy25 / "model.safetensors")
    export_gguf(copy25, copy25 / "out")
    assert "output.weight" not in read_gguf(copy25 / "out" / "model-f16.gguf")


def test_two_configs_that_differ_do_not_lose_the_head(copy25: Path) -> None:
    weights = load_file(copy25 / "model.safetensors")
    head = {"lm_head.weight": weights["model.embed_tokens.weight"] + 0.5}
    save_file(weights | head, copy25 / "model.safetensors")
    with pytest.raises(ConversionError, match="ties head and embedding"):
        export_gguf(copy25, copy25 / "out")
    edit(copy25, "config.json", lambda config: config.update(tie_word_embeddings=False))
    export_gguf(copy25, copy25 / "out")
    assert "output.weight" in read_gguf(copy25 / "out" / "model-f16.gguf")


def test_quantized_or_foreign_weights(copy25: Path) -> None:
    weights = load_file(copy25 / "model.safetensors")
    save_file(weights | {"model.layers.0.lora_A": torch.zeros(2)}, copy25 / "model.safetensors")
    with pytest.raises(ConversionError, match="lora_A"):
        export_gguf(copy25, copy25 / "out")
    packed = weights["model.layers.0.mlp.up_proj.weight"].to(torch.int8)
    save_file(weights | {"model.layers.0.mlp.up_proj.weight": packed}, copy25 / "model.safetensors")
    with pytest.raises(ConversionError, match="'I8'"):
        export_gguf(copy25, copy25 / "out")
