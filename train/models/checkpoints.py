"""The settings and checkpoints of a training run, for resuming it."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from transformers.trainer import TRAINING_ARGS_NAME

from agent.errors import WorkbenchError
from train.models.model_folder import load_trainable

SETTINGS_FILE = "settings.json"
CHECKPOINTS = "checkpoints"
# transformers writes this file last: a checkpoint without a complete one was interrupted.
STATE = "trainer_state.json"


def begin(out: Path, settings: Mapping[str, Any], *, resume: bool) -> None:
    """Create the folder of a run, or check that its run has the same settings."""
    path = out / SETTINGS_FILE
    text = json.dumps(settings, indent=2, sort_keys=True, default=str) + "\n"
    try:
        if path.is_file():
            before = json.loads(path.read_text(encoding="utf-8"))
            if not resume:
                raise WorkbenchError(
                    f"{out} already has a run: continue it with --resume, or name another folder"
                )
            if (changed := _changed(before, json.loads(text))) is not None:
                what = f"{out} has a run with another {changed}"
                raise WorkbenchError(f"{what}: it cannot be continued")
            return
        out.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WorkbenchError(f"cannot use {out}: {error.strerror or error}") from error
    except ValueError as error:
        raise WorkbenchError(f"{path} is damaged: name another folder") from error


def _changed(before: object, now: Mapping[str, Any]) -> str | None:
    if not isinstance(before, dict):
        return "form of its settings"
    for name in sorted({*before, *now}):
        one, other = before.get(name), now.get(name)
        if one != other:
            if isinstance(one, dict) and isinstance(other, dict):
                return f"{name}.{_changed(one, other)}"
            return f"{name} ({str(one)[:60]}, now {str(other)[:60]})"
    return None


def last_checkpoint(out: Path) -> Path | None:
    """The newest complete checkpoint; later, incomplete ones are removed."""
    for folder in sorted((out / CHECKPOINTS).glob("checkpoint-*"), key=_step, reverse=True):
        if _is_complete(folder):
            return folder
        shutil.rmtree(folder, ignore_errors=True)
    return None


def complete_checkpoints(out: Path) -> list[Path]:
    """The complete checkpoints, oldest first."""
    folders = sorted((out / CHECKPOINTS).glob("checkpoint-*"), key=_step)
    return [folder for folder in folders if _is_complete(folder)]


def step_of(checkpoint: Path | None) -> int:
    return 0 if checkpoint is None else _step(checkpoint)


def _step(folder: Path) -> int:
    number = folder.name.rpartition("-")[2]
    return int(number) if number.isdecimal() else -1


def _is_complete(folder: Path) -> bool:
    try:
        state = json.loads((folder / STATE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(state, dict) and state.get("global_step") == _step(folder) >= 0


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
