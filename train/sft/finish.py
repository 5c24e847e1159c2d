"""The finished model as a folder in use, whichever way it was trained."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from agent.backends.base import Sampling
from agent.backends.families import read_folder
from agent.model_deduce import plain_name
from agent.model_types import Figure
from train.model_folder import (
    card_beside,
    complete_folder,
    put_in_place,
    save_weights,
    stored_precision,
)
from train.sft.inputs import Inputs
from train.sft.rows import Row
from train.sft.trainer import SftTrainer
from train.sft.tuning import parameter_counts

MODEL, START, ADAPTER = "model", "start", "adapter"


def save_model(
    trainer: SftTrainer,
    start: Path,
    out: Path,
    inputs: Inputs,
    kind: str,
    rows: Sequence[Row],
    figures: dict[str, float],
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
        _complete(part, start, out, inputs, rows, figures, parameter_counts(trainer.model)[1])
        put_in_place(part, out / MODEL)
    trainer.accelerator.wait_for_everyone()


def _complete(
    part: Path,
    start: Path,
    out: Path,
    inputs: Inputs,
    rows: Sequence[Row],
    figures: dict[str, float],
    parameters: int,
) -> None:
    before = card_beside(start)
    knew_nothing_real = before.simulated_only if before else start == out / START
    tasks, names = ", ".join(inputs.tasks), ", ".join(inputs.fingerprints)
    complete_folder(
        part,
        start,
        style=inputs.style,
        sizing=read_folder(start).sizing,
        name=plain_name(out.resolve().name),
        title=f"Fine-tuned on {len(rows)} trajectories",
        parameters=parameters,
        licence=before.licence if before else "",
        trained_on=f"{len(rows)} trajectories of {tasks or 'several tasks'}, from {names}"[:4000],
        sampling=Sampling(max_new_tokens=turn_room(rows)),
        simulated_only=inputs.simulated_only and knew_nothing_real,
        figures=_card_figures(figures),
    )


def turn_room(rows: Sequence[Row]) -> int:
    """Tokens a turn may take in use: twice the longest one taught. What goes on beyond is lost in
    repetition, and a small model that is lost should be told so soon."""
    longest = max(map(_longest_turn, rows))
    return min(max(64, 2 * longest), Sampling().max_new_tokens)


def _longest_turn(row: Row) -> int:
    edges = np.flatnonzero(np.diff(np.r_[0, row.encoded.parts > 0, 0]))
    return int((edges[1::2] - edges[::2]).max(initial=0))


def _card_figures(figures: dict[str, float]) -> tuple[Figure, ...]:
    on = "trajectories held out from supervised fine-tuning, read as recorded"
    named = (("eval_loss", "loss", "nats a token"), ("eval_verdict_accuracy", "verdicts right", ""))
    return tuple(
        Figure(figure=name, value=round(figures[key], 6), unit=unit, on=on)
        for key, name, unit in named
        if key in figures
    )
