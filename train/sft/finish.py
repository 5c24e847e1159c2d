"""Writes the finished model as a folder that can be used for inspections."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agent.engines.base import SamplingSettings
from agent.engines.families import read_folder
from agent.models.card import ReportedFigure
from agent.models.infer_card import plain_name
from train.models.finished_model import write_finished
from train.models.model_folder import card_beside, complete_folder
from train.sft.encoding import longest_turn
from train.sft.inputs import Inputs
from train.sft.optimizer import parameter_counts
from train.sft.rows import ConversationRow
from train.sft.settings import SftSettings
from train.sft.trainer import SftTrainer
from train.wordings import told_of


def save_model(
    trainer: SftTrainer,
    start: Path,
    out: Path,
    inputs: Inputs,
    settings: SftSettings,
    rows: Sequence[ConversationRow],
    figures: dict[str, float],
    *,
    new: bool,
) -> None:
    """Write `out`/model with its card; `new` says that training began with random weights."""
    parameters = parameter_counts(trainer.model)[1]
    before = card_beside(start)
    start_is_simulated_only = before.simulated_only if before else new
    tasks, names = ", ".join(inputs.tasks), ", ".join(inputs.fingerprints)
    without = "" if settings.tool else ", without the tool"

    def complete(part: Path) -> None:
        complete_folder(
            part,
            start,
            style=inputs.style,
            tasks=inputs.tasks,
            sizing=read_folder(start).sizing,
            name=plain_name(out.resolve().name),
            title=f"Fine-tuned on {len(rows)} trajectories",
            parameters=parameters,
            licence=before.licence if before else "",
            trained_on=(
                f"{len(rows)} trajectories of {tasks or 'several tasks'}, from {names}"
                f"{without}{told_of(inputs.wording)}"
            )[:4000],
            rules="ours" if inputs.wording is None else "published",
            wording="" if inputs.wording is None else inputs.wording.name,
            sampling=SamplingSettings(max_new_tokens=max_turn_tokens(rows)),
            simulated_only=inputs.simulated_only and start_is_simulated_only,
            figures=_card_figures(figures),
        )

    write_finished(trainer, start, out, settings.kind, complete)


def max_turn_tokens(rows: Sequence[ConversationRow]) -> int:
    """Token limit of a turn at inference: twice the longest trained turn."""
    # A longer turn is stuck in repetition, and a small model that is stuck should be stopped early.
    longest = max(longest_turn(row.encoded.parts) for row in rows)
    return min(max(64, 2 * longest), SamplingSettings().max_new_tokens)


def _card_figures(figures: dict[str, float]) -> tuple[ReportedFigure, ...]:
    on = "trajectories held out from supervised fine-tuning, read as recorded"
    named = (("eval_loss", "loss", "nats a token"), ("eval_verdict_accuracy", "verdicts right", ""))
    return tuple(
        ReportedFigure(figure=name, value=round(figures[key], 6), unit=unit, on=on)
        for key, name, unit in named
        if key in figures
    )
