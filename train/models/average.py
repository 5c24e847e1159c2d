"""Averages the weights of a run's checkpoints into one model.

At the high learning rates of small models RL moves the weights back and forth from round to round;
the average keeps what the rounds have in common. Further training costs some of what a model knew
before; the average with the model that the run started from keeps most of both.
"""

from pathlib import Path

import torch

from agent.atomic_file import atomic_folder, is_missing_or_empty
from agent.errors import WorkbenchError, write_errors
from agent.models.card import Card
from agent.models.infer_card import plain_name
from train.models import model_folder
from train.models.checkpoints import complete_checkpoints, step_of
from train.models.model_folder import MODEL

ADAPTER_CONFIG = "adapter_config.json"
# Card titles of averages; one that starts so may be overwritten.
TITLES = ("Mean of", "After step", "Half way back from")


def checkpoints_of(run: Path, first: int, last: int) -> list[Path]:
    """The checkpoints from step `first` to step `last`, oldest first; a model is its own one."""
    if model_folder.card_beside(run) is not None:
        return [run]
    complete = complete_checkpoints(run)
    chosen = [folder for folder in complete if first <= step_of(folder) <= last]
    if not chosen:
        kept = ", ".join(str(step_of(folder)) for folder in complete) or "none"
        raise WorkbenchError(
            f"{run} has no checkpoint between steps {first} and {last}; its checkpoints: {kept}"
        )
    return chosen


def average(
    run: Path, folders: list[Path], out: Path, like: Path | None = None, back: Path | None = None
) -> Card:
    """Write the average of the checkpoints of `run` in these folders to the folder `out`.

    `like` is the model whose card and tokenizer the average gets, by default the finished one of
    the run. `back` is a model that weighs as much as all checkpoints together. `out` may hold an
    older average, but nothing else.
    """
    is_model = folders == [run]
    if is_model and back is None:
        raise WorkbenchError(f"{run} is a single model: give the one to average it with by --back")
    like = like or (run if is_model else run / MODEL)
    before = model_folder.card_beside(like)
    if before is None:
        raise WorkbenchError(
            f"{like} is not a finished model: finish the run, or give the model that it started "
            "from by --like"
        )
    for folder in folders:
        if (folder / ADAPTER_CONFIG).is_file():
            raise WorkbenchError(f"{folder} is an adapter: only whole models can be averaged")
    there = model_folder.card_beside(out)
    is_mean = there is not None and there.title.startswith(TITLES)
    if not (is_mean or is_missing_or_empty(out)):
        raise WorkbenchError(f"{out} already exists: name a new folder")
    with write_errors(out), atomic_folder(out) as part:
        model = model_folder.load_trainable(folders[0])
        # Needs memory for two models at a time.
        mean = {name: weight.clone() for name, weight in model.state_dict().items()}
        for count, folder in enumerate(folders[1:], start=2):
            _move_towards(mean, folder, 1 / count, folders[0])
        if back is not None:
            _move_towards(mean, back, 0.5, folders[0])
        model_folder.save_weights(model, mean, part, model_folder.stored_precision(like))
        title, note = _card_texts(folders, is_model=is_model, halfway=back is not None)
        return model_folder.complete_folder(
            part,
            like,
            name=plain_name(out.resolve().name),
            title=title,
            trained_on=before.trained_on[: 4000 - len(note)] + note,
            **model_folder.kept_fields(before),
        )


def _move_towards(mean: dict[str, torch.Tensor], folder: Path, fraction: float, like: Path) -> None:
    """Move the weights in place towards those of a folder, by that fraction of the difference."""
    other = model_folder.load_trainable(folder).state_dict()
    one, two = ({name: own.shape for name, own in each.items()} for each in (other, mean))
    if one != two:
        raise WorkbenchError(f"{folder} has another shape than {like}")
    for name, weight in mean.items():
        if weight.is_floating_point():
            weight += (other[name] - weight) * fraction


def _card_texts(checkpoints: list[Path], *, is_model: bool, halfway: bool) -> tuple[str, str]:
    """The title of the card, and the note to append to `trained_on`."""
    end = "; half way back to where that began" if halfway else ""
    if is_model:
        return f"{TITLES[2]} {checkpoints[0].name}", end
    steps = ", ".join(str(step_of(folder)) for folder in checkpoints)
    if len(checkpoints) > 1:
        return f"{TITLES[0]} {len(checkpoints)} checkpoints", f"; the mean after steps {steps}{end}"
    return f"{TITLES[1]} {steps}", f"; after step {steps}{end}"
