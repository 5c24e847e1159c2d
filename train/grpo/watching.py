"""What a run tells while it goes on, under our names."""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from train.journal import Journal

NAMES = {
    "clip_ratio/region_mean": "clipped",
    "step_time": "seconds/update",
}
AS_THEY_ARE = ("loss", "grad_norm", "learning_rate", "reward", "reward_std", "entropy")
OURS = (
    "accuracy", "f1", "well_formed", "answered", "says_yes", "calls", "tokens", "groups_alike",
    "seconds/",
)  # fmt: skip


class RoundLogger(TrainerCallback):
    """Puts the figures of every round into the journal."""

    def __init__(self, record: Journal) -> None:
        self._record = record

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **unused: Any) -> None:
        found = {
            NAMES.get(name, name): None if value is None else float(value)
            for name, value in (logs or {}).items()
            if name in NAMES or name in AS_THEY_ARE or name.startswith(OURS)
        }
        if "reward" in found:
            self._record.log(int(state.global_step), **found)
