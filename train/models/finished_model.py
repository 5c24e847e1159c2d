"""Writes the weights of a finished run as a model folder, merging an adapter if there is one."""

import shutil
from collections.abc import Callable
from pathlib import Path

from transformers import Trainer

from agent.atomic_file import replace_folder
from agent.errors import write_errors
from train.models.model_folder import save_weights, stored_precision

MODEL, ADAPTER = "model", "adapter"


def write_finished(
    trainer: Trainer, start: Path, out: Path, kind: str, complete: Callable[[Path], None]
) -> None:
    """Write `out`/model, completely or not at all; every device must call this.

    An adapter is also saved as `out`/adapter. `complete` adds the tokenizer and the card to the
    folder.
    """
    part = out / f".{MODEL}.part"
    is_first = trainer.is_world_process_zero()
    if is_first:
        shutil.rmtree(part, ignore_errors=True)
    if kind == "lora":
        trainer.save_model(str(out / ADAPTER))
        if is_first:
            from train.models.adapter import merge_adapter

            merge_adapter(start, out / ADAPTER, part)
    else:
        state = trainer.accelerator.get_state_dict(trainer.model_wrapped)
        if is_first:
            model = trainer.accelerator.unwrap_model(trainer.model_wrapped)
            save_weights(model, state, part, stored_precision(start))
    if is_first:
        complete(part)
        with write_errors(out / MODEL):
            replace_folder(part, out / MODEL)
    trainer.accelerator.wait_for_everyone()
