"""A transformers Trainer with our own batch order, loss, evaluation and resuming.

Accelerate's launchers (DDP, DeepSpeed, FSDP) work as with any Trainer.
"""

import ctypes
import math
import os
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from rich.progress import Progress
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import PrinterCallback, Trainer, TrainerCallback, TrainingArguments
from transformers.trainer_utils import IntervalStrategy

from agent.errors import WorkbenchError
from agent.evidence.words import KIND_NAMES
from train.draft.settings import SHORT
from train.journal import Journal
from train.models.checkpoints import OwnCheckpoints
from train.models.small_model import VERDICTS
from train.sft.batches import IGNORED, Batch, Batches, only_one, token_id
from train.sft.fast_path import ScoredTokensOnly
from train.sft.optimizer import muon_and_adamw
from train.sft.rows import PARTS, VERDICT
from train.sft.settings import SftSettings

WINDOW_PHRASES = ("for", "against", "little")
"""Keys of `SHORT` phrases for what a window says about the class."""


def training_arguments(
    checkpoints: Path, settings: SftSettings, *, half: bool, seed: int, workers: int
) -> TrainingArguments:
    """The transformers arguments of a run; `max_steps` is set once the batches are known."""
    on_gpu = torch.cuda.is_available()
    launched = int(os.environ.get("WORLD_SIZE", "1")) > 1
    return TrainingArguments(
        output_dir=str(checkpoints),
        per_device_train_batch_size=1,  # an item of the data set is a whole batch
        gradient_accumulation_steps=settings.accumulate,
        max_steps=1,
        learning_rate=settings.lr,
        lr_scheduler_type="cosine",
        warmup_steps=settings.warmup,
        weight_decay=settings.weight_decay,
        max_grad_norm=settings.max_grad_norm,
        optim="adamw_torch_fused",
        bf16=half,
        use_cpu=not on_gpu,
        # With a backend a single process would wait for others.
        ddp_backend="gloo" if launched and not on_gpu else None,
        ddp_find_unused_parameters=False,
        activation_checkpointing=settings.checkpointing,
        train_sampling_strategy="sequential",
        dataloader_num_workers=workers if workers > 1 else 0,
        # Forking is unsafe because the progress bar runs a thread.
        dataloader_multiprocessing_context="spawn" if workers > 1 else None,
        dataloader_pin_memory=on_gpu,
        remove_unused_columns=False,
        logging_steps=1,
        logging_nan_inf_filter=False,
        eval_strategy="steps" if settings.eval_every else "no",
        eval_steps=settings.eval_every or None,
        save_strategy="steps" if settings.save_every else "no",
        save_steps=settings.save_every or 500,
        save_total_limit=settings.keep,
        report_to=[],
        disable_tqdm=True,
        seed=seed,
    )


class SftTrainer(OwnCheckpoints, Trainer):
    """Trains on `Batches`; `scored` restricts the model's logits, `weights` weight the tokens."""

    def __init__(
        self,
        model: Any,
        args: TrainingArguments,
        scored: ScoredTokensOnly,
        batches: Batches,
        held_out: Batches | None,
        weights: torch.Tensor | None = None,
        muon: bool = False,
        **options: Any,
    ) -> None:
        if muon:
            rate, decay = args.learning_rate, args.weight_decay
            optimizer = muon_and_adamw(model, rate, decay, half=args.bf16)
            options["optimizers"] = optimizer, None
        if held_out is None:
            args.eval_strategy = IntervalStrategy.NO
        super().__init__(
            model=model, args=args, data_collator=only_one,
            train_dataset=batches, eval_dataset=held_out,
            compute_loss_func=partial(token_loss, weights=weights), **options,
        )  # fmt: skip
        self.remove_callback(PrinterCallback)
        self._scored = scored
        self._held_out = held_out
        self._figures: tuple[int, dict[str, float]] = -1, {}

    def compute_loss(self, model: Any, inputs: Any, *rest: Any, **options: Any) -> Any:
        self._scored.keep = inputs.pop("keep")
        return super().compute_loss(model, inputs, *rest, **options)

    def evaluate(self, *unused: Any, **options: Any) -> dict[str, float]:
        """Loss of the held-out rows, in total and by part, and verdict accuracy."""
        if self._held_out is None or self._figures[0] == self.state.global_step:
            return self._figures[1]
        ranks, rank = self.accelerator.num_processes, self.accelerator.process_index
        count = len(self._held_out)
        sums = torch.zeros(NUM_SUMS, dtype=torch.float64, device=self.args.device)
        for first in range(0, count, ranks):
            number = first + rank
            # Sharded models need every device, so one without a batch of its own repeats one.
            batch_sums = self._sums(self._prepare_inputs(self._held_out[number % count]))
            if number < count:
                sums += batch_sums
        sums = self.accelerator.reduce(sums, reduction="sum")
        found = {f"eval_{name}": value for name, value in figures(sums).items()}
        self._figures = self.state.global_step, dict(found)
        self.log(found)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, found)
        return found

    def _sums(self, batch: Batch) -> torch.Tensor:
        model: Any = self.model_wrapped if self.is_deepspeed_enabled else self.model
        labels, parts = batch.pop("labels"), batch.pop("parts")
        self._scored.keep = batch.pop("keep")
        was_training = model.training
        model.eval()
        with torch.no_grad():
            logits = model(**batch).logits
        model.train(was_training)
        return part_sums(logits, labels, parts)


# The loss of the trained tokens, in total and by part.
def token_loss(
    outputs: Any,
    labels: Tensor,
    num_items_in_batch: Tensor | int | None = None,
    weights: Tensor | None = None,
) -> Tensor:
    """Summed cross entropy, divided by the number of trained tokens in all batches of the step.

    `outputs.logits` is (trained tokens, vocabulary); `labels` (rows, tokens) is not shifted;
    `weights` (vocabulary,) are the weights of the tokens.
    """
    expected = targets(labels)
    total = cross_entropy(outputs.logits.float(), expected, weight=weights, reduction="sum")
    return total / (expected.numel() if num_items_in_batch is None else num_items_in_batch)


def token_weights(
    tokenizer: Any, model: Any, settings: SftSettings, device: torch.device
) -> Tensor | None:
    """Loss weight of each token; None if all are 1."""
    if settings.verdict_weight == settings.telling_weight == 1.0:
        return None
    weights = torch.ones(model.config.get_text_config().vocab_size, device=device)
    for sentence in (text for key in WINDOW_PHRASES for text in SHORT[key]):
        weights[tokenizer.encode(f" {sentence}").ids[0]] = settings.telling_weight
    for number in filter(None, map(tokenizer.token_to_id, KIND_NAMES.values())):
        weights[number] = settings.telling_weight
    for word in VERDICTS:
        weights[token_id(tokenizer, word)] = settings.verdict_weight
    return weights


def targets(labels: Tensor) -> Tensor:
    """The trained tokens, in the order of the logits."""
    return labels[:, 1:][labels[:, 1:] != IGNORED]


NUM_SUMS = 2 * len(PARTS) + 2  # loss and count of each part, then right verdicts and all verdicts


def part_sums(logits: Tensor, labels: Tensor, parts: Tensor) -> Tensor:
    """(NUM_SUMS,) in float64, to be added over batches and devices."""
    expected = targets(labels)
    losses = cross_entropy(logits.float(), expected, reduction="none").double()
    kind = parts[:, 1:][labels[:, 1:] != IGNORED].long() - 1
    sums = torch.zeros(NUM_SUMS, dtype=torch.float64, device=logits.device)
    sums[: len(PARTS)].index_add_(0, kind, losses)
    sums[len(PARTS) : 2 * len(PARTS)].index_add_(0, kind, torch.ones_like(losses))
    sums[-2:] = _verdicts(logits.argmax(-1) == expected, labels, parts)
    return sums


def _verdicts(is_right: Tensor, labels: Tensor, parts: Tensor) -> Tensor:
    """Number of rows with every verdict token right, and of rows with a verdict."""
    rows = (labels[:, 1:] != IGNORED).nonzero()[:, 0]
    is_verdict = (parts[:, 1:] == VERDICT)[labels[:, 1:] != IGNORED]
    with_verdict = rows[is_verdict].unique()  # type: ignore[no-untyped-call]
    wrong = rows[is_verdict & ~is_right].unique()  # type: ignore[no-untyped-call]
    counts = [with_verdict.numel() - wrong.numel(), with_verdict.numel()]
    return torch.tensor(counts, dtype=torch.float64, device=labels.device)


def figures(sums: Tensor) -> dict[str, float]:
    """Loss per token in total and by part, and the share of right verdicts, where there are any."""
    loss, count = sums[: len(PARTS)], sums[len(PARTS) : 2 * len(PARTS)]
    found = {"loss": float(loss.sum() / count.sum())}
    for number, name in enumerate(PARTS):
        if count[number]:
            found[f"loss_{name}"] = float(loss[number] / count[number])
    if sums[-1]:
        found["verdict_accuracy"] = float(sums[-2] / sums[-1])
    return found


# Metrics for the journal, a progress bar, and memory trimming.
TRIM_EVERY = 25


class StepLogger(TrainerCallback):
    """Writes transformers' logs to the journal, with unpadded tokens per second and our epochs."""

    def __init__(self, journal: Journal, tokens_of_step: Sequence[int], epochs: float) -> None:
        self._journal = journal
        self._tokens = tokens_of_step
        self._epochs = epochs
        self._last_step, self._last_time = 0, time.perf_counter()

    def on_train_begin(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        self._last_step, self._last_time = state.global_step, time.perf_counter()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **unused: Any) -> None:
        step = int(state.global_step)
        metrics = {
            name: float(value)
            for name, value in (logs or {}).items()
            if isinstance(value, int | float) and name != "epoch"
        }
        loss = metrics.get("loss")
        if loss is not None and not math.isfinite(loss):
            raise WorkbenchError(
                f"the loss at step {step} is not finite: try a smaller lr, a longer warmup or "
                "precision=fp32"
            )
        if loss is not None and step > self._last_step:
            now = time.perf_counter()
            tokens = sum(self._tokens[self._last_step : step])
            metrics["tokens_per_second"] = tokens / max(now - self._last_time, 1e-9)
            self._last_step, self._last_time = step, now
        if step:
            metrics["epoch"] = self._epochs * step / max(1, len(self._tokens))
        self._journal.log(step, **metrics)


class HeapTrimmer(TrainerCallback):
    """Returns freed memory, because batches of many lengths fragment the C heap by gigabytes."""

    def __init__(self, every: int = TRIM_EVERY) -> None:
        self._every = every
        self._trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None

    def on_step_end(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        if self._trim is not None and state.global_step % self._every == 0:
            self._trim(0)


class ProgressCallback(TrainerCallback):
    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("training", total=None)

    def on_train_begin(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        self._bar.update(self._task, total=state.max_steps, completed=state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        self._bar.update(self._task, completed=state.global_step)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **unused: Any) -> None:
        if logs and "loss" in logs:
            self._bar.update(self._task, description=f"training, loss {logs['loss']:.3f}")
