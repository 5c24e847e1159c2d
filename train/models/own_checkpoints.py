"""Checkpoints of a transformers trainer, for fine-tuning and GRPO alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from transformers.trainer import TRAINING_ARGS_NAME

from train.models.model_folder import load_trainable


class OwnCheckpoints:
    """Mixin for a transformers trainer: checkpoints without pickles that resume correctly."""

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        # Remove the pickle of the trainer's arguments, which nothing reads.
        trainer, theirs = cast(Any, self), cast(Any, super())
        theirs._save(output_dir, state_dict)
        folder = Path(output_dir or trainer.args.output_dir or "")
        (folder / TRAINING_ARGS_NAME).unlink(missing_ok=True)

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        # transformers looks for the weights of a Qwen2.5-VL under other names than it saved them
        # with, finds none, and silently continues from the initial ones.
        trainer, theirs = cast(Any, self), cast(Any, super())
        sharded = trainer.is_fsdp_enabled or trainer.is_deepspeed_enabled
        if sharded or hasattr(trainer.model, "peft_config"):
            theirs._load_from_checkpoint(resume_from_checkpoint, model)
            return
        weights = load_trainable(Path(resume_from_checkpoint)).state_dict()
        trainer.model.load_state_dict(weights, strict=True)
