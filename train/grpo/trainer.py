"""TRL's GRPO trainer with our rollouts.

Groups, advantages, masks and the loss are TRL's. Its rollouts read the whole conversation again in
every turn and end with the first turn without a call; ours keep the KV cache and follow the rules
of an inspection in use.
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

from agent.errors import ToolError
from agent.examples.examples import ExampleStore
from agent.inspection.episode import NO_CALLS_LEFT
from agent.protocol.protocol import MAX_TOOL_TURNS
from agent.tasks.catalogue import find_task
from agent.tasks.task import Task
from train.grpo.generate import (
    CachedGenerator,
    ConversationTokens,
    GeneratedTurn,
    Generator,
    OpenTurn,
    TurnTokens,
)
from train.grpo.packing import pack, split_rollouts, unpack
from train.grpo.pictures import CachedPictureMaker, PictureCache
from train.grpo.rollout import Limits, Rollout, RolloutTimes, roll_out
from train.models.checkpoints import OwnCheckpoints

# Smaller advantages are rounding errors: different rewards differ by 0.2 or more.
LEAST_ADVANTAGE = 1e-3


@dataclass(frozen=True, kw_only=True)
class RolloutSettings:
    """The tokens, pictures and limits of rollouts, and how many are generated in one batch."""

    tokens: TurnTokens
    pictures: PictureCache
    limits: Limits
    at_once: int


class SpectrumTrainer(OwnCheckpoints, GRPOTrainer):
    """Trains on a dataset whose rows name spectra; the environments show them."""

    environments: list[SpectrumEnvironment]
    lr_scheduler: Any = None

    def __init__(
        self, *, rollout_settings: RolloutSettings, warmup: int = 0, **options: Any
    ) -> None:
        super().__init__(**options)
        self.rollout_settings = rollout_settings
        self.warmup = warmup
        self.rollouts: list[Rollout] = []  # the rollouts of the last round
        self._buffered: list[Any] | None = None

    def _generate(self, prompts: list[Any]) -> tuple[Any, ...]:
        """Replaces TRL's rollouts; the prompts are those of the environments."""
        started = time.perf_counter()
        asked = [(one.picture_maker, one.task) for one in self.environments]
        rollouts, times = self._roll_out(asked)
        self.rollouts = rollouts
        metrics = {
            "tokens": float(np.mean([sum(one.sampled) for one in rollouts])),
            "tokens_read": float(np.mean([len(one.conversation.ids) for one in rollouts])),
            "seconds/speaking": times.generating,
            "seconds/drawing": times.drawing,
            "seconds/rollouts": time.perf_counter() - started,
        }
        self._record_metrics(metrics)
        pictures = [one.conversation.pictures for one in rollouts]
        said = ["\n".join(one.episode.replies) for one in rollouts]
        return (
            [one.prompt for one in rollouts],
            [one.completion for one in rollouts],
            [one.sampled for one in rollouts],
            [[{"role": "assistant", "content": text}] for text in said],
            [one.log_probs for one in rollouts] if self.use_vllm else None,
            {},
            pictures,
            pictures,
        )

    def judge_greedily(self, asked: Sequence[tuple[CachedPictureMaker, Task]]) -> list[list[int]]:
        """Inspect as in use, and return all tokens after each prompt; every process calls this."""
        rollouts, _ = self._roll_out(asked, temperature=0.0)
        return [one.completion for one in rollouts]

    def _roll_out(
        self, asked: Sequence[tuple[CachedPictureMaker, Task]], temperature: float | None = None
    ) -> tuple[list[Rollout], RolloutTimes]:
        options = self.rollout_settings
        rollouts = [Rollout(maker, task, options.tokens, options.limits) for maker, task in asked]
        with self._rollout_generator(temperature) as generator:
            return rollouts, roll_out(rollouts, generator, options.pictures, options.at_once)

    def _generate_and_score_completions(self, inputs: Any) -> Any:
        # If all rewards of a group are equal, rounding leaves tiny advantages, and Adam would take
        # a full step along them.
        batch = super()._generate_and_score_completions(inputs)
        advantages = batch["advantages"]
        advantages[advantages.abs() < LEAST_ADVANTAGE] = 0.0
        self._record_metrics({"groups_alike": float((advantages == 0.0).float().mean())})
        return batch

    def _prepare_inputs(self, generation_batch: Any) -> Any:
        # TRL shuffles the rollouts of a round. Here those of a question stay together, because an
        # update has whole questions and a pack has one.
        size = self.args.steps_per_generation
        if self._step % size == 0 or self._buffered is None:
            batch = self._generate_and_score_completions(generation_batch)
            parts = split_tensor_dict(split_pixel_values_by_grid(batch), size)
            parts = _without_gradient_first(parts, self.args.gradient_accumulation_steps)
            self._buffered = [unsplit_pixel_values_by_grid(part) for part in parts]
        return self._buffered[self._step % size]

    def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> LambdaLR:
        # The warm-up of transformers wastes the first update on a learning rate of 0.
        if self.lr_scheduler is None:
            rise, trained = self.warmup + 1, optimizer or self.optimizer
            self.lr_scheduler = LambdaLR(trained, lambda step: min(1.0, (step + 1) / rise))
            self._created_lr_scheduler = True
        return self.lr_scheduler

    def compute_loss(self, model: Any, inputs: Any, *others: Any, **options: Any) -> Tensor:
        # Where no rollout was better than another there is no gradient: skip the forward pass.
        if self._needs_pass(inputs["advantages"]):
            return super().compute_loss(model, inputs, *others, **options)
        trained = (weight for weight in model.parameters() if weight.requires_grad)
        return sum((weight.view(-1)[0] * 0.0 for weight in trained), torch.zeros(()))

    def _needs_pass(self, advantages: Tensor) -> bool:
        """Whether any process gets a gradient from this pass; all processes decide alike."""
        has_gradient = advantages.any()
        if self.accelerator.num_processes == 1:
            return bool(has_gradient)
        # Copies of a model sum their gradients in an update's last pass, which none may skip. If
        # the weights are sharded, every pass is needed.
        copies = DistributedType.MULTI_CPU, DistributedType.MULTI_GPU
        if self.accelerator.sync_gradients or self.accelerator.distributed_type not in copies:
            return True
        return bool(self.accelerator.gather(has_gradient).any())

    def _get_per_token_logps_and_entropies(
        self,
        model: Any,
        input_ids: Tensor,
        attention_mask: Tensor,
        logits_to_keep: int,
        batch_size: int | None = None,
        **vision: Any,
    ) -> tuple[Tensor, Tensor | None, None]:
        """TRL's numbers, with the prompt of a question's rollouts computed once."""
        # The log-probabilities before an update are those from when the tokens were sampled.
        if not torch.is_grad_enabled() and not self.use_vllm and not self.args.bf16:
            sampled = [torch.tensor(one.log_probs) for one in self.rollouts]
            return pad_sequence(sampled, batch_first=True).to(input_ids.device), None, None
        asked = input_ids, attention_mask, logits_to_keep, batch_size
        scores = self._packed_scores(model, *asked, vision)
        log_probs, entropies = (torch.cat(parts) for parts in zip(*scores, strict=True))
        return log_probs, entropies, None

    def _packed_scores(
        self,
        model: Any,
        ids: Tensor,
        mask: Tensor,
        width: int,
        at_once: int | None,
        vision: dict[str, Any],
    ) -> Iterator[tuple[Tensor, Tensor]]:
        """Log-probabilities and entropies, (rollouts, width), of `at_once` rollouts at a time."""
        grids = vision["image_grid_thw"]
        sizes = [tuple(grid) for grid in grids.tolist()]
        rows = split_rollouts(ids, mask, width, sizes, vision["num_images"])
        pictures = vision["pixel_values"].split(grids.prod(dim=1).tolist())
        for start in range(0, len(rows), at_once or len(rows)):
            packed = pack(rows[start : start + (at_once or len(rows))], pictures, self.model.config)
            device = ids.device
            with self.accelerator.autocast():
                out = model(
                    input_ids=packed.ids.to(device),
                    position_ids=packed.position_ids.to(device),
                    labels=packed.labels.to(device),
                    pixel_values=torch.cat([pictures[number] for number in packed.pictures]),
                    image_grid_thw=grids[packed.pictures],
                    packs=packed.layouts,
                    fused_lm_head=True,
                )
            yield unpack(out.log_probs, packed, width), unpack(out.entropy, packed, width)

    @contextmanager
    def _rollout_generator(self, temperature: float | None = None) -> Iterator[Generator]:
        temperature = self.temperature if temperature is None else temperature
        if self.use_vllm:
            usual = self.vllm_generation.temperature
            self.vllm_generation.temperature = temperature
            try:
                yield TrlGenerator(self)
            finally:
                self.vllm_generation.temperature = usual
            return
        training = self.model.training
        tokens, patches = self.rollout_settings.tokens, self.rollout_settings.pictures.patches
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
                yield CachedGenerator(model, tokens, patches, self._round_random(), temperature)
            finally:
                model.train(training)

    def _round_random(self) -> torch.Generator:
        """A random generator of this round alone, so that a resumed run continues identically."""
        seeds = [self.args.seed, self.state.global_step, self.accelerator.process_index]
        number = int(np.random.SeedSequence(seeds).generate_state(1)[0])
        return torch.Generator(self.accelerator.device).manual_seed(number)

    def _record_metrics(self, figures: dict[str, float]) -> None:
        for name, value in figures.items():
            self._metrics["train"][name].append(value)

    def create_model_card(self, *arguments: Any, **options: Any) -> None:
        """Write no page of TRL's into checkpoints; the finished model gets our card."""


def _without_gradient_first(parts: Sequence[Any], passes: int) -> list[Any]:
    """Within each update of `passes` parts, move those without a gradient to the front."""
    # In this order all processes can skip them together.
    updates = [parts[start : start + passes] for start in range(0, len(parts), passes)]
    ordered = (sorted(each, key=lambda part: bool(part["advantages"].any())) for each in updates)
    return [part for update in ordered for part in update]


class TrlGenerator:
    """Generates turns by TRL's own means: vLLM, or transformers without a KV cache."""

    def __init__(self, trainer: SpectrumTrainer) -> None:
        self._trainer = trainer

    def __call__(
        self, conversations: Sequence[ConversationTokens], limits: Sequence[int]
    ) -> list[GeneratedTurn]:
        pictures = [one.pictures for one in conversations]
        prompts = [one.ids for one in conversations]
        pixels = self._trainer.processing_class.image_processor(pictures)
        ids, logprobs = self._trainer._generate_single_turn(
            prompts, pictures, pixels, num_generations=1, has_tool_images=True
        )
        known = logprobs or [[0.0] * len(tokens) for tokens in ids]
        return [self._turn(*each) for each in zip(ids, known, limits, strict=True)]

    def _turn(self, tokens: Sequence[int], log_probs: Sequence[float], limit: int) -> GeneratedTurn:
        turn = OpenTurn(self._trainer.rollout_settings.tokens, limit)
        for token, log_prob in zip(tokens, log_probs, strict=True):
            turn.add(token, log_prob)
            if turn.end is not None:
                break
        return turn.finish()


# The environment of a rollout, in the form that TRL expects: a spectrum, a question, a tool.
class SpectrumEnvironment:
    """Shows one spectrum. TRL makes one for each rollout and resets it before each question.

    TRL takes its public methods except `reset` as tools, and their docstrings as descriptions.
    """

    picture_maker: CachedPictureMaker
    task: Task

    def __init__(self, pictures: PictureCache, store: ExampleStore) -> None:
        self._pictures = pictures
        self._store = store
        self._calls = 0

    def reset(self, *, sha256: str, task: str, **row: Any) -> list[dict[str, Any]]:
        """Start a question and return its user turn: the overview picture, then the task."""
        self._calls = 0
        self.task = find_task(task)
        self.picture_maker = self._pictures.maker(self._store[sha256])
        return [
            {"type": "image", "image": self.picture_maker.overview()},
            {"type": "text", "text": self.picture_maker.opening(self.task)[1].text},
        ]

    def spectral_visualization_tool(
        self, wavelength_range: list[float], label: str = ""
    ) -> list[dict[str, Any]]:
        """Draw the spectrum again, enlarged on one wavelength range.

        Args:
            wavelength_range: Start and end of the range in angstrom.
            label: What the range is inspected for.

        Returns:
            The picture and a line of text, or a line that says what is wrong with the call.
        """
        self._calls += 1
        if self._calls > MAX_TOOL_TURNS:
            return [{"type": "text", "text": NO_CALLS_LEFT}]
        try:
            arguments = {"wavelength_range": wavelength_range, "label": label}
            picture, result = self.picture_maker.look(arguments)
        except ToolError as error:
            return [{"type": "text", "text": str(error)}]
        return [{"type": "image", "image": picture}, {"type": "text", "text": result.text}]
