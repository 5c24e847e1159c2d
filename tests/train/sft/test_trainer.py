from copy import deepcopy
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
from torch import nn
from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

from agent.errors import WorkbenchError
from train.recipe import settings
from train.sft.batches import IGNORED
from train.sft.optimizer import (
    CombinedOptimizer,
    Muon,
    make_trainable,
    muon_and_adamw,
    orthogonalize,
    parameter_counts,
)
from train.sft.settings import SftSettings
from train.sft.trainer import (
    HeapTrimmer,
    StepLogger,
    figures,
    part_sums,
    token_loss,
    training_arguments,
)


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


# Muon's updates and weights, and the schedule and checkpoint shared with AdamW.
RATE = 0.01


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(4)
        self.embed_tokens = nn.Embedding(12, 8)
        self.inner = nn.Linear(8, 6)
        self.norm = nn.LayerNorm(6)
        self.lm_head = nn.Linear(6, 12, bias=False)

    def loss(self) -> torch.Tensor:
        tokens = torch.arange(12)
        said = self.lm_head(self.norm(self.inner(self.embed_tokens(tokens))))
        return nn.functional.cross_entropy(said, tokens.flip(0))


def steps(model: Model, optimizer: CombinedOptimizer, count: int) -> list[float]:
    losses = []
    for _ in range(count):
        optimizer.zero_grad()
        loss = model.loss()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_matrices_inside_are_muons_and_the_rest_is_not():
    model = Model()
    muon, adamw = muon_and_adamw(model, RATE, 0.1).parts
    of_muon = [each for group in muon.param_groups for each in group["params"]]
    assert [id(each) for each in of_muon] == [id(model.inner.weight)]
    decays = {
        id(each): group["weight_decay"] for group in adamw.param_groups for each in group["params"]
    }
    assert len(decays) == len(list(model.parameters())) - 1
    assert decays[id(model.lm_head.weight)] == 0.1 and decays[id(model.norm.weight)] == 0.0


def test_muons_updates_are_equally_long_in_every_direction():
    model = Model()
    optimizer, before = muon_and_adamw(model, RATE, 0.0), model.inner.weight.detach().clone()
    steps(model, optimizer, 1)
    lengths = torch.linalg.svdvals(before - model.inner.weight.detach())
    # 0.2 of the root of the longer side: as long as AdamW's usual update. The norm behind it leaves
    # one direction without a gradient.
    wanted = RATE * 0.2 * 8**0.5
    assert lengths[0] < 1.4 * wanted and lengths[4] > 0.5 * wanted


def test_frozen_weights_have_no_optimizer():
    model = Model()
    model.embed_tokens.weight.requires_grad_(False)
    optimizer = muon_and_adamw(model, RATE, 0.1)
    held = [each for group in optimizer.param_groups for each in group["params"]]
    assert all(each is not model.embed_tokens.weight for each in held)
    assert len(held) == len(list(model.parameters())) - 1


def test_a_schedule_reaches_both():
    optimizer = muon_and_adamw(Model(), RATE, 0.0)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0 / (step + 1))
    optimizer.step()
    schedule.step()
    assert {group["lr"] for part in optimizer.parts for group in part.param_groups} == {RATE / 2}


def test_it_learns_and_resumes_from_its_state():
    model = Model()
    optimizer = muon_and_adamw(model, RATE, 0.01)
    losses = steps(model, optimizer, 10)
    assert losses[-1] < losses[0]
    again = Model()
    again.load_state_dict(model.state_dict())
    resumed = muon_and_adamw(again, RATE, 0.01)
    resumed.load_state_dict(deepcopy(optimizer.state_dict()))
    assert steps(again, resumed, 3) == steps(model, optimizer, 3)


def test_an_adapter_has_no_whole_matrices_to_learn():
    with pytest.raises(WorkbenchError, match=r"sft\.optimizer: muon needs kind=full"):
        SftSettings(kind="lora", optimizer="muon")


@pytest.mark.parametrize("shape", [(3, 12, 40), (2, 40, 12)], ids=str)
def test_directions_are_kept_and_made_equally_long(shape: tuple[int, int, int]):
    torch.manual_seed(7)
    matrices = torch.randn(shape) * torch.tensor([1e-6, 1.0, 1e6])[: shape[0], None, None]
    even = orthogonalize(matrices)
    sizes = torch.linalg.svdvals(even)
    assert sizes.min() > 0.5 and sizes.max() < 1.3
    left, _, right = torch.linalg.svd(matrices, full_matrices=False)
    turned = left.mT @ even @ right.mT
    off = turned - torch.diag_embed(turned.diagonal(dim1=-2, dim2=-1))
    assert off.abs().max() < 0.01
    torch.testing.assert_close(orthogonalize(matrices[:1]), even[:1], rtol=1e-3, atol=1e-3)


def test_nothing_to_learn_moves_nothing():
    assert not orthogonalize(torch.zeros(1, 4, 6)).any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_muon_is_torchs(dtype: torch.dtype):
    """Apart from rounding: torch's multiplies in bfloat16 everywhere."""
    torch.manual_seed(5)
    mine = [torch.randn(shape).requires_grad_() for shape in ((16, 16), (16, 48), (48, 16))]
    theirs = [each.detach().clone().requires_grad_() for each in mine]
    ours = Muon(mine, lr=RATE, weight_decay=0.1, dtype=dtype)
    other = torch.optim.Muon(theirs, lr=RATE, weight_decay=0.1, adjust_lr_fn="match_rms_adamw")
    for _ in range(4):
        for one, another in zip(mine, theirs, strict=True):
            one.grad = torch.randn(one.shape)
            another.grad = one.grad.clone()
        before = [each.detach().clone() for each in mine]
        ours.step()
        other.step()
        for start, one, another in zip(before, mine, theirs, strict=True):
            length = (another - start).norm()
            assert (one - another).norm() < 0.03 * length
        with torch.no_grad():
            for one, another in zip(mine, theirs, strict=True):
                another.copy_(one)
