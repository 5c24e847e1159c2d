"""Saves the finished model of a GRPO run with its card."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agent.models.card import Card
from agent.models.infer_card import plain_name
from train.grpo.trainer import SpectrumTrainer
from train.models.finished_model import write_finished
from train.models.model_folder import complete_folder


def save_model(
    trainer: SpectrumTrainer, start: Path, card: Card, out: Path, sets: Sequence[Path], kind: str
) -> None:
    """Write `out`/model with its card."""

    def complete(part: Path) -> None:
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
            tasks=card.tasks,
        )

    write_finished(trainer, start, out, kind, complete)
