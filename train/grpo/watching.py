"""Writes the metrics of a GRPO run to its journal, under our names."""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from train.journal import Journal

RENAMED = {
    "clip_ratio/region_mean": "clipped",
    "step_time": "seconds/update",
}
TRL_NAMES = ("loss", "grad_norm", "learning_rate", "reward", "reward_std", "entropy")
OUR_PREFIXES = (
    "accuracy", "f1", "well_formed", "answered", "says_yes", "calls", "tokens", "groups_alike",
    "seconds/",
)  # fmt: skip


class RoundLogger(TrainerCallback):
    """Writes the metrics of every round to the journal."""

    def __init__(self, record: Journal) -> None:
        self._record = record

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **unused: Any) -> None:
        metrics = {
            RENAMED.get(name, name): None if value is None else float(value)
            for name, value in (logs or {}).items()
            if name in RENAMED or name in TRL_NAMES or name.startswith(OUR_PREFIXES)
        }
        if "reward" in metrics:
            self._record.log(int(state.global_step), **metrics)
