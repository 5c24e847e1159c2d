"""TRL's GRPO trainer with our rollouts in the place of its own.

Groups, advantages, masks and the loss are TRL's. Its rollouts read the whole conversation again in
every turn and end with the first turn without a call; ours keep what was read and follow the rules
of use.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from accelerate import DistributedType
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.optim.lr_scheduler import LambdaLR
from trl import GRPOTrainer
from trl.models.utils import unwrap_model_for_generation
from trl.trainer.utils import (
    split_pixel_values_by_grid,
    split_tensor_dict,
    unsplit_pixel_values_by_grid,
)

from train.grpo.environment import SpectrumEnvironment
from train.grpo.generate import BatchLine, CachedGenerator, GeneratedTurn, Generator, OpenTurn
from train.grpo.packing import pack, rows_of, unpack
from train.grpo.pictures import Pictures
from train.grpo.rollout import Limits, Rollout, roll_out
from train.grpo.tokens import TurnTokens
from train.models.own_checkpoints import OwnCheckpoints

LEAST_ADVANTAGE = 1e-3
"""Less is rounding: rewards differ by a fifth at least."""


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """How rollouts are made: what of, how long, how many side by side."""

    tongue: TurnTokens
    pictures: Pictures
    limits: Limits
    at_once: int


class SpectrumTrainer(OwnCheckpoints, GRPOTrainer):
    """A row of the dataset names a spectrum; its environment shows it."""

    environments: list[SpectrumEnvironment]
    lr_scheduler: Any = None

    def __init__(self, *, sampled: Sampled, warmup: int = 0, **options: Any) -> None:
        super().__init__(**options)
        self.sampled = sampled
        self.warmup = warmup
        self.rollouts: list[Rollout] = []
        """Those of the last round."""
        self._buffered: list[Any] | None = None

    def _generate(self, prompts: list[Any]) -> tuple[Any, ...]:
        """In the place of TRL's: tokens, which of them were sampled, pictures. The prompts are
        those the environments began with."""
        started = time.perf_counter()
        sampled = self.sampled
        rollouts = [
            Rollout(one.viewer, one.task, sampled.tongue, sampled.limits)
            for one in self.environments
        ]
        with self._speaker() as speaker:
            spent = roll_out(rollouts, speaker, sampled.pictures, sampled.at_once)
        self.rollouts = rollouts
        self._note(
            {
                "tokens": float(np.mean([sum(one.said) for one in rollouts])),
                "tokens_read": float(np.mean([len(one.line.ids) for one in rollouts])),
                "seconds/speaking": spent.speaking,
                "seconds/drawing": spent.drawing,
                "seconds/rollouts": time.perf_counter() - started,
            }
        )
        pictures = [one.line.pictures for one in rollouts]
        return (
            [one.prompt for one in rollouts],
            [one.completion for one in rollouts],
            [one.said for one in rollouts],
            [
                [{"role": "assistant", "content": "\n".join(one.episode.replies)}]
                for one in rollouts
            ],
            [one.log_odds for one in rollouts] if self.use_vllm else None,
            {},
            pictures,
            pictures,
        )

    def _generate_and_score_completions(self, inputs: Any) -> Any:
        """TRL's, without what rounding leaves of an advantage where all rewards are alike: Adam
        would take a whole step along it."""
        whole = super()._generate_and_score_completions(inputs)
        advantages = whole["advantages"]
        advantages[advantages.abs() < LEAST_ADVANTAGE] = 0.0
        self._note({"groups_alike": float((advantages == 0.0).float().mean())})
        return whole

    def _prepare_inputs(self, generation_batch: Any) -> Any:
        """In the place of TRL's, which shuffles the rollouts of a round: here those of a question
        stay together, for an update is of whole questions and a pack of one."""
        size = self.args.steps_per_generation
        if self._step % size == 0 or self._buffered is None:
            whole = self._generate_and_score_completions(generation_batch)
            parts = split_tensor_dict(split_pixel_values_by_grid(whole), size)
            parts = _silent_first(parts, self.args.gradient_accumulation_steps)
            self._buffered = [unsplit_pixel_values_by_grid(part) for part in parts]
        return self._buffered[self._step % size]

    def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> LambdaLR:
        """In the place of transformers', whose warm-up wastes a first update on a rate of 0."""
        if self.lr_scheduler is None:
            rise = self.warmup + 1
            self.lr_scheduler = LambdaLR(
                optimizer or self.optimizer, lambda step: min(1.0, (step + 1) / rise)
            )
            self._created_lr_scheduler = True
        return self.lr_scheduler

    def compute_loss(self, model: Any, inputs: Any, *others: Any, **options: Any) -> Tensor:
        """TRL's; without its forward pass where no rollout was better than another: no gradient
        comes of it."""
        if self._is_worth_a_pass(inputs["advantages"]):
            return super().compute_loss(model, inputs, *others, **options)
        trained = (weight for weight in model.parameters() if weight.requires_grad)
        return sum((weight.view(-1)[0] * 0.0 for weight in trained), torch.zeros(()))

    def _is_worth_a_pass(self, advantages: Tensor) -> bool:
        """Whether a gradient comes of it in any process: they pass together or not at all. Copies
        of a model add up their gradients in an update's last pass, which none may leave out; where
        the weights are spread over processes, every pass is needed."""
        told = advantages.any()
        if self.accelerator.num_processes == 1:
            return bool(told)
        copies = DistributedType.MULTI_CPU, DistributedType.MULTI_GPU
        if self.accelerator.sync_gradients or self.accelerator.distributed_type not in copies:
            return True
        return bool(self.accelerator.gather(told).any())

    def _get_per_token_logps_and_entropies(
        self,
        model: Any,
        input_ids: Tensor,
        attention_mask: Tensor,
        logits_to_keep: int,
        batch_size: int | None = None,
        **seen: Any,
    ) -> tuple[Tensor, Tensor | None, None]:
        """In the place of TRL's: the same numbers, what a question's rollouts share computed once,
        and those from before an update as they were when the tokens were drawn."""
        if not torch.is_grad_enabled() and not self.use_vllm and not self.args.bf16:
            drawn = [torch.tensor(one.log_odds) for one in self.rollouts]
            return pad_sequence(drawn, batch_first=True).to(input_ids.device), None, None
        found = self._scored(model, input_ids, attention_mask, logits_to_keep, batch_size, seen)
        log_odds, entropies = (torch.cat(parts) for parts in zip(*found, strict=True))
        return log_odds, entropies, None

    def _scored(
        self,
        model: Any,
        ids: Tensor,
        mask: Tensor,
        width: int,
        at_once: int | None,
        seen: dict[str, Any],
    ) -> Iterator[tuple[Tensor, Tensor]]:
        grids = seen["image_grid_thw"]
        rows = rows_of(
            ids, mask, width, [tuple(grid) for grid in grids.tolist()], seen["num_images"]
        )
        pictures = seen["pixel_values"].split(grids.prod(dim=1).tolist())
        for start in range(0, len(rows), at_once or len(rows)):
            packed = pack(rows[start : start + (at_once or len(rows))], pictures, self.model.config)
            device = ids.device
            with self.accelerator.autocast():
                out = model(
                    input_ids=packed.ids.to(device),
                    position_ids=packed.places.to(device),
                    labels=packed.labels.to(device),
                    pixel_values=torch.cat([pictures[number] for number in packed.pictures]),
                    image_grid_thw=grids[packed.pictures],
                    packs=packed.layouts,
                    fused_lm_head=True,
                )
            yield unpack(out.log_probs, packed, width), unpack(out.entropy, packed, width)

    @contextmanager
    def _speaker(self) -> Iterator[Generator]:
        if self.use_vllm:
            yield TrlGenerator(self)
            return
        training = self.model.training
        with (
            unwrap_model_for_generation(
                self.model_wrapped,
                self.accelerator,
                gather_deepspeed3_params=self.args.ds3_gather_for_generation,
                gradient_checkpointing_kwargs=self.args.gradient_checkpointing_kwargs,
            ) as model,
            torch.no_grad(),
            self._dist.summon_full_params(self.model_wrapped, recurse=False),
            self.accelerator.autocast(),
        ):
            model.eval()
            try:
                yield CachedGenerator(
                    model,
                    self.sampled.tongue,
                    self.sampled.pictures.patches,
                    self._randomness(),
                    self.temperature,
                )
            finally:
                model.train(training)

    def _randomness(self) -> torch.Generator:
        """Of this round alone, so that a run that is resumed goes on as it would have."""
        seeds = [self.args.seed, self.state.global_step, self.accelerator.process_index]
        number = int(np.random.SeedSequence(seeds).generate_state(1)[0])
        return torch.Generator(self.accelerator.device).manual_seed(number)

    def _note(self, figures: dict[str, float]) -> None:
        for name, value in figures.items():
            self._metrics["train"][name].append(value)

    def create_model_card(self, *arguments: Any, **options: Any) -> None:
        """Not TRL's page in every checkpoint: the finished model gets a card of ours."""


def _silent_first(parts: Sequence[Any], passes: int) -> list[Any]:
    """In every update those that say nothing come first, in all processes, so that they can be left
    out together. `passes` make an update."""
    updates = [parts[at : at + passes] for at in range(0, len(parts), passes)]
    return [
        part
        for update in updates
        for part in sorted(update, key=lambda part: bool(part["advantages"].any()))
    ]


def _as_messages(rollout: Rollout) -> list[dict[str, str]]:
    """For TRL's own logs; rewards read the tokens."""
    return [{"role": "assistant", "content": reply} for reply in rollout.episode.replies]


class TrlGenerator:
    """Speaks through TRL's own generation: vLLM, or transformers without a memory."""

    def __init__(self, trainer: SpectrumTrainer) -> None:
        self._trainer = trainer

    def __call__(self, lines: Sequence[BatchLine], limits: Sequence[int]) -> list[GeneratedTurn]:
        pictures = [line.pictures for line in lines]
        ids, logprobs = self._trainer._generate_single_turn(
            [line.ids for line in lines],
            pictures,
            self._trainer.processing_class.image_processor(pictures),
            num_generations=1,
            has_tool_images=True,
        )
        known = logprobs or [[0.0] * len(tokens) for tokens in ids]
        return [
            self._turn(tokens, log_odds, limit)
            for tokens, log_odds, limit in zip(ids, known, limits, strict=True)
        ]

    def _turn(self, tokens: Sequence[int], log_odds: Sequence[float], limit: int) -> GeneratedTurn:
        turn = OpenTurn(self._trainer.sampled.tongue, limit)
        for token, odds in zip(tokens, log_odds, strict=True):
            turn.take(token, odds)
            if turn.end is not None:
                break
        return turn.said()
