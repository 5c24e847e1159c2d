"""Settings of the short runs of `test_run`."""

from pathlib import Path
from typing import Any

from tests.night import BY_NIGHT
from tests.train.sft.samples import MINUTE_MODEL
from train.sft.run import fine_tune
from train.sft.settings import SftSettings

BASE: dict[str, Any] = {
    "epochs": 2.0, "batch": 3, "lr": 3e-3, "precision": "fp32", "held_out": 0.2,
    "save_every": 2, "eval_every": 3, "trained": "all",
}  # fmt: skip
KINDS = {
    "full": SftSettings(**BASE),
    "muon": SftSettings(**{**BASE, "optimizer": "muon"}),
    "lora": SftSettings(**{**BASE, "kind": "lora", "trained": "language", "lora_rank": 4}),
}
DYING = KINDS if BY_NIGHT else {"muon": KINDS["muon"]}
"""By day one: an adapter goes on after an error, and all keep their checkpoints alike."""
STEPS = 6
TOGETHER = {**BASE, "batch": 2, "steps": 2, "save_every": 0, "eval_every": 2}
"""Steps of two batches, on two devices or one after the other."""


def train(approved: Path, sets: Path, out: Path, settings: SftSettings, **options: Any) -> Path:
    return fine_tune([approved], [sets], out, settings, MINUTE_MODEL, seed=3, **options)
