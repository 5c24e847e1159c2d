"""The trainer with all its parts, before its first step."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import PrinterCallback
from trl import GRPOConfig

from train.examples import ExampleStore
from train.grpo.attention import take_packs
from train.grpo.environment import SpectrumEnvironment
from train.grpo.judging import TokenJudge, make_reward
from train.grpo.pictures import Pictures
from train.grpo.processor import SpectrumProcessor
from train.grpo.questions import Row, as_prompts
from train.grpo.rollout import Limits
from train.grpo.settings import GrpoSettings
from train.grpo.tokens import tongue_of
from train.grpo.trainer import Sampled, SpectrumTrainer
from train.models.checkpoints import CHECKPOINTS
from train.models.model_folder import load_trainable
from train.sft.fast_path import quicken
from train.sft.run import uses_bfloat16
from train.sft.tuning import LANGUAGE_LAYERS


def make_trainer(
    folder: Path,
    questions: Sequence[Row],
    store: ExampleStore,
    pictures: Pictures,
    out: Path,
    settings: GrpoSettings,
    seed: int,
) -> SpectrumTrainer:
    """Loads the model in `folder`; `questions` in the order they will be asked."""
    model = load_trainable(folder)
    quicken(model)
    take_packs(model)
    model.requires_grad_(True)
    if settings.trained == "language":
        model.model.visual.requires_grad_(False)
    tongue = tongue_of(folder, model.config)
    limits = Limits(turn=settings.turn_tokens, rollout=settings.rollout_tokens)
    trainer = SpectrumTrainer(
        sampled=Sampled(tongue=tongue, pictures=pictures, limits=limits, at_once=settings.at_once),
        warmup=settings.warmup,
        model=model,
        args=config_of(settings, out / CHECKPOINTS, tongue.never, seed),
        train_dataset=Dataset.from_list(as_prompts(questions, brief=pictures.style.brief)),
        processing_class=SpectrumProcessor(folder, pictures),
        reward_funcs=make_reward(TokenJudge(tongue), settings.penalty),
        environment_factory=partial(SpectrumEnvironment, pictures, store),
        peft_config=_adapter(settings),
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def config_of(settings: GrpoSettings, out: Path, never: Sequence[int], seed: int) -> GRPOConfig:
    """Our settings in TRL's words."""
    devices = int(os.environ.get("WORLD_SIZE", "1"))
    on_gpu = torch.cuda.is_available()
    passes = settings.passes(devices)
    return GRPOConfig(
        output_dir=str(out),
        seed=seed,
        num_generations=settings.rollouts,
        per_device_train_batch_size=settings.microbatch,
        gradient_accumulation_steps=passes,
        steps_per_generation=passes * settings.updates,
        num_train_epochs=1,  # all epochs are laid out in the dataset
        max_steps=settings.rounds * settings.updates if settings.rounds else -1,
        shuffle_dataset=False,
        learning_rate=settings.lr,
        lr_scheduler_type="constant",  # after the warm-up of SpectrumTrainer
        optim="adamw_torch_fused",
        epsilon=settings.clip,
        beta=0.0,
        temperature=settings.temperature,
        max_completion_length=settings.rollout_tokens,
        generation_kwargs=_generation(settings, never),
        use_vllm=settings.use_vllm,
        vllm_mode="colocate",
        vllm_gpu_memory_utilization=settings.vllm_memory,
        bf16=uses_bfloat16(settings.precision),
        activation_checkpointing=settings.checkpointing,
        use_cpu=not on_gpu,
        ddp_backend="gloo" if devices > 1 and not on_gpu else None,
        dataloader_pin_memory=on_gpu,
        save_strategy="steps",
        save_steps=settings.save_every * settings.updates,  # never within a round
        save_total_limit=settings.keep,
        logging_steps=settings.updates,
        logging_nan_inf_filter=False,
        disable_tqdm=True,
        report_to=[],
    )


@contextmanager
def quiet() -> Iterator[None]:
    """Without what TRL says of its own inside: experimental parts, old names it still uses."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*environment_factory.*experimental", UserWarning)
        warnings.filterwarnings("ignore", ".*gradient_checkpointing.*deprecated", FutureWarning)
        yield


def _generation(settings: GrpoSettings, never: Sequence[int]) -> dict[str, Any]:
    """For TRL's own generation: a turn's length, and what may not be said."""
    if settings.use_vllm:
        forbidden = {str(number): -100.0 for number in never}
        return {"max_tokens": settings.turn_tokens, "logit_bias": forbidden}
    return {"max_new_tokens": settings.turn_tokens, "suppress_tokens": list(never)}


def _adapter(settings: GrpoSettings) -> LoraConfig | None:
    if settings.kind == "full":
        return None
    return LoraConfig(
        r=settings.lora_rank,
        lora_alpha=settings.lora_alpha,
        target_modules=LANGUAGE_LAYERS,
        task_type="CAUSAL_LM",
    )
