"""Which parameters train, on models of the published sizes without their weights."""

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
from train.recipe import PRESETS, settings
from train.sft.settings import ModelSettings, SftSettings
from train.sft.tuning import make_trainable, parameter_counts

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


class TestPresets:
    def test_the_published_recipe(self):
        for preset in ("3b", "7b"):
            told = settings(SftSettings, "sft", preset=preset)
            assert (told.lr, told.warmup, told.epochs, told.batch) == (2e-5, 0.05, 5.0, 4)
            assert (told.cutoff, told.precision, told.trained) == (32768, "bf16", "language")
            assert told.kind == "full" and told.batch * told.cutoff <= told.batch_tokens
            start = settings(ModelSettings, "model", preset=preset).start
            assert start == f"Qwen/Qwen2.5-VL-{preset.upper()}-Instruct"

    @pytest.mark.parametrize("preset", PRESETS)
    def test_every_preset_is_one(self, preset: str):
        settings(SftSettings, "sft", preset=preset)
        shape = settings(ModelSettings, "model", preset=preset).shape
        assert shape.hidden % shape.heads == 0

    def test_nano_is_as_large_as_was_measured(self):
        told = settings(ModelSettings, "model", preset="nano")
        sizes = (told.hidden, told.layers, told.ffn, told.hidden // told.heads)
        assert sizes == (192, 5, 576, 32)
        vision = (told.vision_layers, told.vision_hidden, told.vision_ffn, told.whole_every)
        assert vision == (4, 128, 384, 1)

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            ("lr=0", r"sft\.lr: 0\.0 is not between 1e-09 and 1"),
            ("batch=0", r"sft\.batch"),
            ("held_out=0.9", r"sft\.held_out"),
            ("style=compct", "'compct' is none of: recorded, published"),
            ("trained=vision", "not one of language, all"),
        ],
    )
    def test_faults_are_named(self, change: str, why: str):
        with pytest.raises(WorkbenchError, match=why):
            settings(SftSettings, "sft", sets=[change])


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
