from __future__ import annotations

from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock, call

import pytest
import yaml

pytest.importorskip("accelerate")
pytest.importorskip("peft")

import numpy as np
import torch
from accelerate.commands.config.config_args import load_config_from_file
from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

from agent.errors import WorkbenchError
from train.recipe import settings
from train.sft.batches import IGNORED
from train.sft.callbacks import HeapTrimmer, StepLogger
from train.sft.optimizer import make_trainable, parameter_counts
from train.sft.settings import SftSettings
from train.sft.trainer import figures, part_sums, token_loss, training_arguments


def test_zero_turns_evaluation_and_checkpoints_off(tmp_path: Path) -> None:
    settings = SftSettings(eval_every=0, save_every=0, lr=1e-4, accumulate=3)
    args = training_arguments(tmp_path, settings, half=False, seed=5, workers=1)
    assert args.eval_strategy == "no" and args.save_strategy == "no"
    assert args.learning_rate == 1e-4 and args.gradient_accumulation_steps == 3
    assert args.seed == 5 and not args.bf16
    assert args.dataloader_num_workers == 0


def test_several_workers_are_spawned(tmp_path: Path) -> None:
    args = training_arguments(tmp_path, SftSettings(), half=False, seed=0, workers=3)
    assert args.dataloader_num_workers == 3
    assert args.dataloader_multiprocessing_context == "spawn"
    assert args.eval_steps == args.save_steps == 100


class TestFigures:
    labels = torch.tensor([[IGNORED, 1, 2, 0], [IGNORED, IGNORED, 2, 0]])
    parts = torch.tensor([[0, 1, 4, 5], [0, 0, 4, 5]], dtype=torch.uint8)

    def test_each_part_has_its_own_mean(self):
        logits = torch.zeros(5, 4)
        logits[1, 2] = 50.0  # the first row's verdict, sure and right
        logits[3, 1] = 50.0  # the second's, sure and wrong
        found = figures(part_sums(logits, self.labels, self.parts))
        even = float(np.log(4))
        assert found["loss_thought"] == pytest.approx(even)
        assert found["loss_verdict"] == pytest.approx(25.0)
        assert found["loss"] == pytest.approx((3 * even + 50.0) / 5)
        assert found["verdict_accuracy"] == 0.5
        assert "loss_call" not in found

    def test_adds_up_over_batches(self):
        logits = torch.randn(5, 4, generator=torch.Generator().manual_seed(0))
        whole = part_sums(logits, self.labels, self.parts)
        first = part_sums(logits[:3], self.labels[:1], self.parts[:1])
        second = part_sums(logits[3:], self.labels[1:], self.parts[1:])
        assert torch.allclose(whole, first + second)


def test_tokens_are_weighted():
    torch.manual_seed(0)
    logits, labels = torch.randn(3, 5), torch.tensor([[-100, 1, 4, 2]])
    weights = torch.tensor([1.0, 1.0, 1.0, 1.0, 8.0])
    outputs = SimpleNamespace(logits=logits)
    each = torch.nn.functional.cross_entropy(logits, torch.tensor([1, 4, 2]), reduction="none")
    assert torch.isclose(token_loss(outputs, labels), each.mean())
    expected = (each[0] + 8 * each[1] + each[2]) / 3
    assert torch.isclose(token_loss(outputs, labels, weights=weights), expected)


# Trained parameters of models with the published sizes but without weights.
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


def logged(callback: Any, step: int, **logs: float) -> None:
    callback.on_log(None, SimpleNamespace(global_step=step), None, logs=logs)


def test_speed_and_epochs_are_our_own() -> None:
    journal = Mock()
    callback = StepLogger(journal, tokens_of_step=[100, 100, 100, 100], epochs=2.0)
    logged(callback, 2, loss=1.5, epoch=77.0)
    logged(callback, 2, eval_loss=1.2)
    first, second = journal.log.call_args_list
    told = first.kwargs
    assert told["epoch"] == 1.0 and told["loss"] == 1.5 and told["tokens_per_second"] > 0
    assert second == call(2, eval_loss=1.2, epoch=1.0)


def test_a_loss_that_is_not_finite_ends_the_run() -> None:
    callback = StepLogger(Mock(), tokens_of_step=[100], epochs=1.0)
    with pytest.raises(WorkbenchError, match="step 1 is not finite"):
        logged(callback, 1, loss=float("nan"))


def test_the_heap_is_trimmed_every_few_steps() -> None:
    calls: list[int] = []
    trimmer: Any = HeapTrimmer(every=2)
    trimmer._trim = calls.append
    for step in range(1, 6):
        trimmer.on_step_end(None, SimpleNamespace(global_step=step), None)
    assert calls == [0, 0]
