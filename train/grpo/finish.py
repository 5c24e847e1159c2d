"""The finished model as a folder in use."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from agent.model_deduce import plain_name
from agent.model_types import Card
from train.grpo.trainer import SpectrumTrainer
from train.model_folder import complete_folder, put_in_place, save_weights, stored_precision

MODEL, ADAPTER = "model", "adapter"


def save_model(
    trainer: SpectrumTrainer, start: Path, card: Card, out: Path, sets: Sequence[Path], kind: str
) -> None:
    """Write `out`/model, whole or not at all. Every device takes part in gathering its weights.

    An adapter is kept beside it and merged into the weights it sits on.
    """
    part = out / f".{MODEL}.part"
    is_first = trainer.is_world_process_zero()
    if is_first:
        shutil.rmtree(part, ignore_errors=True)
    if kind == "lora":
        trainer.save_model(str(out / ADAPTER))
        if is_first:
            from train.export.adapter import merge_adapter

            merge_adapter(start, out / ADAPTER, part)
    else:
        state = trainer.accelerator.get_state_dict(trainer.model_wrapped)
        if is_first:
            model = trainer.accelerator.unwrap_model(trainer.model_wrapped)
            save_weights(model, state, part, stored_precision(start))
    if is_first:
        before = [card.trained_on] if card.trained_on else []
        names = ", ".join(path.name for path in sets)
        complete_folder(
            part,
            start,
            style=card.style,
            sizing=card.sizing,
            name=plain_name(out.resolve().name),
            title=f"Reinforced over {trainer.state.global_step} updates",
            parameters=card.parameters,
            context_length=card.context_length,
            sampling=card.sampling,
            licence=card.licence,
            trained_on="; ".join([*before, f"labels of {names} by GRPO"])[:4000],
            simulated_only=card.simulated_only,
        )
        put_in_place(part, out / MODEL)
    trainer.accelerator.wait_for_everyone()
