"""What is trained: the tokens that were sampled, with the numbers of TRL's own forward pass."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import compress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl")
pytest.importorskip("peft")

import torch
from torch.nn.utils.rnn import pad_sequence
from trl import GRPOTrainer

from agent.errors import WorkbenchError
from agent.examples.examples import write_examples
from tests.night import BY_NIGHT
from tests.train.forks import run_apart
from tests.train.grpo.scenes import stage_of
from tests.train.grpo.toy import only_look, toy_examples, toy_settings
from tests.train.grpo.training import SMALL, trainer_of, weights
from train.grpo.run import reinforce
from train.grpo.setup import hide_trl_warnings
from train.grpo.trainer import SpectrumTrainer, TrlGenerator
from train.journal import Journal, read_metrics


@pytest.fixture(scope="module")
def sampled(toy: Path, tmp_path_factory: pytest.TempPathFactory):
    """A trainer and a batch of two questions as it prepared it."""
    trainer = trainer_of(toy, tmp_path_factory.mktemp("out"), microbatch=8, minibatch=2)
    return trainer, batch_of(trainer)


def batch_of(trainer: SpectrumTrainer, questions: int = 2) -> dict[str, Any]:
    """Eight rollouts of so many questions."""
    rows = [trainer.train_dataset[number * questions // 8] for number in range(8)]
    trainer.model.train()
    with hide_trl_warnings():
        return trainer._generate_and_score_completions(rows)


def scores(trainer: SpectrumTrainer, batch: dict[str, Any], by: Any = None, **how: Any) -> Any:
    """Log-odds and entropies after the prompts, by the trainer's own pass or by another's."""
    ids = torch.cat([batch["prompt_ids"], batch["completion_ids"]], dim=1)
    mask = torch.cat([batch["prompt_mask"], batch["completion_mask"]], dim=1)
    names = ("pixel_values", "image_grid_thw", "num_images", "mm_token_type_ids")
    how |= {name: batch[name] for name in names}
    width = batch["completion_ids"].shape[1]
    by = by or SpectrumTrainer
    return by._get_per_token_logps_and_entropies(trainer, trainer.model, ids, mask, width, **how)


class TestWhatIsTrained:
    def test_only_what_the_model_said(self, sampled):
        trainer, batch = sampled
        tokens = trainer.rollout_settings.tokens
        trained = (batch["completion_mask"] * batch["tool_mask"]).bool()
        assert trained.any(dim=1).all()
        for ids, mask, one in zip(batch["completion_ids"], trained, trainer.rollouts, strict=True):
            chosen = list(compress(one.completion, one.sampled))
            assert ids[mask].tolist() == chosen
            words = tokens.tokenizer.decode(chosen, skip_special_tokens=False)
            assert words.replace("<|im_end|>", "") == "".join(one.episode.replies)
            assert not set(chosen) & set(tokens.forbidden)

    def test_rollouts_hold_pictures_and_tool_answers(self, sampled):
        trainer, batch = sampled
        image = trainer.model.config.image_token_id
        later = batch["completion_ids"] == image
        assert later.any(), "none looked: the other tests say little"
        assert not (later & batch["tool_mask"].bool()).any()
        assert "pixel_values" in batch
        assert sum(batch["num_images"]) == len(batch["image_grid_thw"])

    def test_scores_are_trls(self, sampled):
        """Packed by question, with the numbers of TRL's own forward pass over whole rollouts."""
        trainer, batch = sampled
        found = scores(trainer, batch, compute_entropy=True)
        wanted = scores(trainer, batch, by=GRPOTrainer, compute_entropy=True)
        real = batch["completion_mask"].bool()
        for one, other in zip(found[:2], wanted[:2], strict=True):
            assert torch.allclose(one[real], other[real], atol=2e-4)
        drawn = batch["completion_mask"] * batch["tool_mask"]
        with torch.no_grad():
            before, _, _ = scores(trainer, batch)
        assert torch.allclose(before[drawn.bool()], wanted[0][drawn.bool()], atol=2e-4)

    def test_bfloat16_scores_what_it_draws(self, toy: Path, tmp_path: Path):
        """Tokens are drawn one by one from a memory, and scored in packs."""
        trainer = trainer_of(toy, tmp_path, microbatch=8, minibatch=2, precision="bf16")
        batch = batch_of(trainer)
        with torch.no_grad():
            found, _, _ = scores(trainer, batch)
        odds = [torch.tensor(one.log_probs) for one in trainer.rollouts]
        drawn = pad_sequence(odds, batch_first=True)
        off = (found - drawn)[(batch["completion_mask"] * batch["tool_mask"]).bool()]
        assert off.any(), "both were computed the same way: the test says nothing"
        assert off.std() < 0.01
        assert off.abs().max() < 0.1

    def test_rewards_that_are_all_alike_say_nothing(self, toy: Path, tmp_path: Path):
        """Cut off after a few words all are worth -0.2, whose mean is not quite that."""
        trainer = trainer_of(toy, tmp_path, minibatch=1, rollouts=8, microbatch=8, turn_tokens=8)
        batch = batch_of(trainer, questions=1)
        assert trainer._metrics["train"]["reward"] == [pytest.approx(-0.2)]
        assert not batch["advantages"].any()
        assert trainer._metrics["train"]["groups_alike"] == [1.0]

    def test_groups_without_a_better_one_cost_nothing(self, sampled):
        trainer, batch = sampled
        alike = {**batch, "advantages": torch.zeros_like(batch["advantages"])}
        trainer.current_gradient_accumulation_steps = 1
        wanted = trainer._compute_loss(trainer.model, alike)
        found = trainer.compute_loss(trainer.model, alike)
        weights = [weight for weight in trainer.model.parameters() if weight.requires_grad]
        assert found.item() == wanted.item() == 0.0
        ours = torch.autograd.grad(found, weights)
        trls = torch.autograd.grad(wanted, weights, allow_unused=True)
        for one, other in zip(ours, trls, strict=True):
            assert not one.any()
            assert other is None or not other.any()


@pytest.mark.parametrize(("dual_clip", "least", "most"), [(0.0, 100.0, 200.0), (3.0, 2.9, 3.1)])
def test_dual_clip_bounds_what_a_bad_rollout_counts(
    dual_clip: float, least: float, most: float, sampled, monkeypatch: pytest.MonkeyPatch
):
    """Tokens of bad rollouts that have become 148 times as likely since they were sampled."""
    trainer, batch = sampled
    with torch.no_grad():
        now, _, _ = scores(trainer, batch)
    bad = {"advantages": -torch.ones_like(batch["advantages"]), "old_per_token_logps": now - 5.0}
    monkeypatch.setattr(trainer.args, "delta", dual_clip or None)
    monkeypatch.setattr(trainer, "current_gradient_accumulation_steps", 1, raising=False)
    monkeypatch.setattr(trainer, "loss_type", "grpo")
    loss = trainer.compute_loss(trainer.model, {**batch, **bad}).item()
    assert least < loss < most


@pytest.fixture(scope="module")
def greedy(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> SpectrumTrainer:
    """So sure of everything that a draw takes the likeliest token."""
    trainer = trainer_of(toy, tmp_path_factory.mktemp("greedy"), microbatch=8, minibatch=2)
    only_look(replace(stage_of(toy / "warm"), model=trainer.model), toy / "toy.toml")
    with torch.no_grad():
        trainer.model.model.language_model.norm.weight *= 40.0
    return trainer


class TestAgainstTrlsRollouts:
    """The likeliest tokens, so that chance has no say."""

    def rollouts(self, trainer: SpectrumTrainer, loop: Callable[..., Any]) -> list[Any]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(SpectrumTrainer, "_generate", loop)
            found = batch_of(trainer)
        ids, mask = found["completion_ids"], found["completion_mask"].bool()
        trained = found["tool_mask"].bool()
        return [
            (tokens[real].tolist(), said[real].tolist())
            for tokens, real, said in zip(ids, mask, trained, strict=True)
        ]

    def test_the_same_tokens_and_masks(self, greedy: SpectrumTrainer, monkeypatch):
        """By TRL's loop, and the way that vLLM goes: our loop, the turns spoken elsewhere."""
        found = self.rollouts(greedy, SpectrumTrainer._generate)
        assert self.rollouts(greedy, GRPOTrainer._generate) == found
        assert any(0 in said for _, said in found), "none called the tool"

        @contextmanager
        def generator(self: SpectrumTrainer, _: float | None) -> Iterator[TrlGenerator]:
            yield TrlGenerator(self)

        monkeypatch.setattr(SpectrumTrainer, "_rollout_generator", generator)
        assert self.rollouts(greedy, SpectrumTrainer._generate) == found


@pytest.mark.skipif(not BY_NIGHT, reason="only by night: two processes learn twice")
def test_several_processes_leave_out_what_says_nothing(toy: Path, tmp_path: Path):
    """But for the last pass of an update, in which they add up their gradients."""
    run_apart("tests.train.grpo.forked", toy, tmp_path)
    passes = {
        name: [int((tmp_path / name / f"passes-{rank}").read_text()) for rank in (0, 1)]
        for name in ("left-out", "whole")
    }
    assert passes == {"left-out": [2, 2], "whole": [4, 4]}
    validated = [one for one in read_metrics(tmp_path / "whole") if "validation/f1" in one]
    assert [one["step"] for one in validated] == [1, 2]
    found, wanted = weights(tmp_path / "left-out/model"), weights(tmp_path / "whole/model")
    first = weights(toy / "warm")
    assert all(torch.equal(found[name], wanted[name]) for name in wanted)
    assert any(not torch.equal(first[name], wanted[name]) for name in wanted)


class Stopped(Exception):
    pass


@pytest.mark.parametrize("kind", ["lora", "full"] if BY_NIGHT else ["lora"])
def test_goes_on_as_if_it_had_not_been_stopped(
    kind: str, toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    more = {"kind": kind, "trained": "all" if kind == "full" else "language"}
    settings = toy_settings(**(SMALL | more), warmup=4)
    sets = [toy / "train.parquet"]
    whole = reinforce(toy / "warm", sets, tmp_path / "whole", settings)

    plain = Journal.log

    def stop(self: Journal, step: int, **figures: float) -> None:
        plain(self, step, **figures)
        if step == 4:  # the second round is logged, but not saved
            raise Stopped

    monkeypatch.setattr(Journal, "log", stop)
    with pytest.raises(Stopped):
        reinforce(toy / "warm", sets, tmp_path / "cut", settings)
    monkeypatch.undo()
    cut = reinforce(toy / "warm", sets, tmp_path / "cut", settings, resume=True)

    first, found, wanted = weights(toy / "warm"), weights(cut), weights(whole)
    assert all(torch.equal(found[name], wanted[name]) for name in wanted)
    assert any(not torch.equal(first[name], wanted[name]) for name in wanted)
    assert list((tmp_path / "cut").rglob("trainer_state.json"))
    assert not list((tmp_path / "cut").rglob("training_args.bin")), "a pickle nobody reads"
    lines = [read_metrics(tmp_path / name) for name in ("whole", "cut")]
    assert [line["step"] for line in lines[1]] == [2, 4, 6]
    rates = [line["learning_rate"] / settings.lr for line in lines[1]]
    assert rates == pytest.approx([0.4, 0.8, 1.0])
    for one, other in zip(*lines, strict=True):
        same = {name for name in one if not name.startswith("seconds")}
        assert {name: one[name] for name in same} == {name: other[name] for name in same}


def test_refusals(toy: Path, tmp_path: Path):
    sets = [toy / "train.parquet"]
    with pytest.raises(WorkbenchError, match="a round needs 64 questions, but these sets have 8"):
        reinforce(toy / "warm", sets, tmp_path, toy_settings(questions=64, epochs=1.0))
    (tmp_path / "settings.json").write_text("{}")
    with pytest.raises(WorkbenchError, match="already has a run"):
        reinforce(toy / "warm", sets, tmp_path, toy_settings(**SMALL))
    settings = toy_settings(**SMALL)
    told = {"grpo": asdict(settings), "seed": 0, "model": str(toy / "warm"), "questions": "others"}
    (tmp_path / "settings.json").write_text(json.dumps(told))
    with pytest.raises(WorkbenchError, match=r"has a run with another questions \(others"):
        reinforce(toy / "warm", sets, tmp_path, settings, resume=True)


@pytest.mark.skipif(not BY_NIGHT, reason="only by night: it learns for twenty seconds")
def test_the_reward_rises(toy: Path, tmp_path: Path):
    """From guessing to looking, by rewards alone."""
    sets = [tmp_path / "train.parquet"]
    write_examples(sets[0], toy_examples(toy / "toy.toml", 64, 0))
    reinforce(toy / "warm", sets, tmp_path / "run", toy_settings(rounds=10))
    metrics = read_metrics(tmp_path / "run")
    first, last = metrics[:3], metrics[-3:]

    def mean(lines: list[dict], name: str) -> float:
        return sum(line[name] for line in lines) / len(lines)

    assert mean(last, "reward") > 0.75
    assert mean(last, "reward") > mean(first, "reward") + 0.15
    assert mean(last, "calls") > mean(first, "calls") + 0.25
    assert mean(last, "accuracy") > 0.8
