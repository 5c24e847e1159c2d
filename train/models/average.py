"""The mean of a run's checkpoints as a model folder in use.

Reinforcement at the high rates of small models shakes the weights from round to round; their mean
keeps what the rounds have in common. What a model learns on, it pays for with some of what it knew:
the mean with the model that the run began with has most of both.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from agent.errors import WorkbenchError
from agent.models.card import Card
from agent.models.infer_card import plain_name
from train.atomic_folder import is_free, written_whole
from train.models.checkpoints import step_of, whole_checkpoints
from train.models.finished_model import MODEL
from train.models.model_folder import (
    card_beside,
    complete_folder,
    load_trainable,
    save_weights,
    stored_precision,
)

ADAPTER_CONFIG = "adapter_config.json"
TITLES = ("Mean of", "After step", "Half way back from")
KEPT = (
    "style", "sizing", "sampling", "parameters", "context_length", "licence", "simulated_only",
    "tasks",
)  # fmt: skip
"""Of the card of the run's last model."""


def checkpoints_of(run: Path, first: int, last: int) -> list[Path]:
    """Those kept from step `first` to step `last`, oldest first. A model folder is its own."""
    if card_beside(run) is not None:
        return [run]
    found = whole_checkpoints(run)
    chosen = [folder for folder in found if first <= step_of(folder) <= last]
    if not chosen:
        kept = ", ".join(str(step_of(folder)) for folder in found) or "none"
        raise WorkbenchError(f"{run} keeps no checkpoint from {first} to {last}, but {kept}")
    return chosen


def average(
    run: Path,
    checkpoints: list[Path],
    out: Path,
    like: Path | None = None,
    back: Path | None = None,
) -> Card:
    """Write the mean of these checkpoints of `run` to the folder `out`.

    `like` is a model of the same shape that lends its card and tokenizer to a run that has not
    ended: the one it began with. `back` is one that counts as much as all checkpoints together.
    What lies in `out` is kept, but for an older mean.
    """
    is_model = checkpoints == [run]
    if is_model and back is None:
        raise WorkbenchError(f"{run} is one model: name with --back the one to average it with")
    like = like or (run if is_model else run / MODEL)
    before = card_beside(like)
    if before is None:
        raise WorkbenchError(
            f"{like} is no finished model: let the run end, or name with --like the model folder "
            "that it began with"
        )
    for folder in checkpoints:
        if (folder / ADAPTER_CONFIG).is_file():
            raise WorkbenchError(f"{folder} is an adapter: only whole models are averaged")
    if not (is_free(out) or _is_mean(out)):
        raise WorkbenchError(f"{out} is there already: name a new folder")
    with written_whole(out) as part:
        model, mean = mean_weights(checkpoints)
        if back is not None:
            _approach(mean, back, 0.5, checkpoints[0])
        save_weights(model, mean, part, stored_precision(like))
        title, told = _told(checkpoints, is_model=is_model, halfway=back is not None)
        return complete_folder(
            part,
            like,
            name=plain_name(out.resolve().name),
            title=title,
            trained_on=before.trained_on[: 4000 - len(told)] + told,
            **{field: getattr(before, field) for field in KEPT},
        )


def _is_mean(out: Path) -> bool:
    card = card_beside(out)
    return card is not None and card.title.startswith(TITLES)


def mean_weights(folders: list[Path]) -> tuple[Any, dict[str, torch.Tensor]]:
    """The first model, and the mean of all; two models at a time are in memory."""
    model = load_trainable(folders[0])
    mean = {name: weight.clone() for name, weight in model.state_dict().items()}
    for count, folder in enumerate(folders[1:], start=2):
        _approach(mean, folder, 1 / count, folders[0])
    return model, mean


def _approach(mean: dict[str, torch.Tensor], folder: Path, share: float, like: Path) -> None:
    """Move these weights towards those of a folder, by that share of the way."""
    other = load_trainable(folder).state_dict()
    if {name: weight.shape for name, weight in other.items()} != {
        name: weight.shape for name, weight in mean.items()
    }:
        raise WorkbenchError(f"{folder} is a model of another shape than {like}")
    for name, weight in mean.items():
        if weight.is_floating_point():
            weight += (other[name] - weight) * share


def _told(checkpoints: list[Path], *, is_model: bool, halfway: bool) -> tuple[str, str]:
    """Title of the card, and what it adds to what the model was trained on."""
    end = "; half way back to where that began" if halfway else ""
    if is_model:
        return f"{TITLES[2]} {checkpoints[0].name}", end
    steps = ", ".join(str(step_of(folder)) for folder in checkpoints)
    if len(checkpoints) > 1:
        return f"{TITLES[0]} {len(checkpoints)} checkpoints", f"; the mean after steps {steps}{end}"
    return f"{TITLES[1]} {steps}", f"; after step {steps}{end}"
