from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("accelerate")

from train.sft.settings import SftSettings
from train.sft.trainer import training_arguments


def test_zero_turns_evaluation_and_checkpoints_off(tmp_path: Path) -> None:
    settings = SftSettings(eval_every=0, save_every=0, lr=1e-4, accumulate=3)
    args = training_arguments(tmp_path, settings, half=False, seed=5, workers=1)
    assert args.eval_strategy == "no" and args.save_strategy == "no"
    assert args.learning_rate == 1e-4 and args.gradient_accumulation_steps == 3
    assert args.seed == 5 and not args.bf16
    assert args.dataloader_num_workers == 0


def test_several_workers_are_spawned(tmp_path: Path) -> None:
    args = training_arguments(tmp_path, SftSettings(), half=False, seed=0, workers=3)
    assert args.dataloader_num_workers == 3
    assert args.dataloader_multiprocessing_context == "spawn"
    assert args.eval_steps == args.save_steps == 100
