"""Trained parameters of models with the published sizes but without weights."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("peft")

import torch
import yaml
from accelerate.commands.config.config_args import load_config_from_file
from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

from agent.errors import WorkbenchError
from train.recipe import settings
from train.sft.optimizer import make_trainable, parameter_counts
from train.sft.settings import SftSettings

THREE_BILLION = {
    "text_config": {
        "hidden_size": 2048, "intermediate_size": 11008, "num_hidden_layers": 36,
        "num_attention_heads": 16, "num_key_value_heads": 2, "vocab_size": 151936,
        "tie_word_embeddings": True,
    },
    "vision_config": {
        "depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "num_heads": 16,
        "out_hidden_size": 2048, "fullatt_block_indexes": [7, 15, 23, 31],
    },
    "tie_word_embeddings": True,
}  # fmt: skip


@cache
def _config() -> Any:
    return Qwen2_5_VLConfig(**THREE_BILLION)


@pytest.fixture
def three_billion() -> Any:
    with torch.device("meta"):
        return Qwen2_5_VLForConditionalGeneration(_config())


def trained(model: Any) -> set[str]:
    return {name for name, weight in model.named_parameters() if weight.requires_grad}


class TestWhatTrains:
    def test_the_published_way_leaves_tower_and_projector(self, three_billion: Any):
        model = make_trainable(three_billion, settings(SftSettings, "sft", preset="3b"))
        names = trained(model)
        assert not any("visual" in name for name in names)
        assert any("embed_tokens" in name for name in names)
        kinds = ("q_proj", "o_proj", "down_proj", "input_layernorm", "language_model.norm")
        assert all(any(kind in name for name in names) for kind in kinds)
        some, whole = parameter_counts(model)
        frozen = sum(each.numel() for each in model.model.visual.parameters())
        assert whole == some + frozen == 3_754_622_976
        assert model.lm_head.weight.requires_grad

    def test_all(self, three_billion: Any):
        model = make_trainable(three_billion, SftSettings(trained="all"))
        assert trained(model) == {name for name, _ in model.named_parameters()}

    def test_an_adapter_sits_on_the_language_model_alone(self, three_billion: Any):
        model = make_trainable(three_billion, SftSettings(kind="lora", lora_rank=16))
        names = trained(model)
        assert all("lora_" in name and ".language_model." in name for name in names)
        # two matrices on each of seven products of 36 layers; the tower has layers so named too
        assert len(names) == 2 * 7 * 36
        assert not any("visual" in name for name in names)

    def test_an_adapter_on_all_is_refused(self):
        with pytest.raises(WorkbenchError, match="LoRA adapts only the language model"):
            SftSettings(kind="lora", trained="all")


CONFIGS = Path(__file__).parents[3] / "train/configs/accelerate"


@pytest.mark.parametrize("name", ["single", "zero2", "zero3", "fsdp2"])
def test_accelerate_knows_its_settings(name: str):
    path = CONFIGS / f"{name}.yaml"
    told = yaml.safe_load(path.read_text(encoding="utf-8"))
    known = vars(load_config_from_file(str(path)))
    assert {key: known[key] for key in told} == told
    if "deepspeed_config" in told:
        from accelerate.utils import DeepSpeedPlugin

        names = set(vars(DeepSpeedPlugin).get("__dataclass_fields__", {}))
        own = {"deepspeed_multinode_launcher", "zero3_save_16bit_model"}
        assert set(told["deepspeed_config"]) - own <= names
    if "fsdp_config" in told:
        from accelerate.utils import FullyShardedDataParallelPlugin as Plugin

        names = {"fsdp_" + field.removeprefix("fsdp_") for field in Plugin.__dataclass_fields__}
        assert set(told["fsdp_config"]) - {"fsdp_offload_params"} <= names
