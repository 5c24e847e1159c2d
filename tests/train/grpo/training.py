"""Small trainers and runs on the toy question."""

from pathlib import Path

import torch
from safetensors.torch import load_file

from agent.examples.examples import ExampleStore
from tests.train.grpo.scenes import stage_of
from tests.train.grpo.toy import STYLE, toy_settings
from train.grpo.pictures import PictureCache
from train.grpo.questions import read_questions, training_order
from train.grpo.setup import hide_trl_warnings, make_trainer
from train.grpo.trainer import SpectrumTrainer

SMALL = {
    "questions": 2, "minibatch": 1, "rollouts": 4, "microbatch": 4, "rounds": 3, "save_every": 1,
}  # fmt: skip


def trainer_of(toy: Path, out: Path, **changes: object) -> SpectrumTrainer:
    settings = toy_settings(**(SMALL | changes))
    sets = [toy / "train.parquet"]
    questions = training_order(read_questions(sets), 1, 0)
    stage = stage_of(toy / "warm")
    pictures = PictureCache(STYLE, stage.pictures.sizing, stage.pictures.vision)
    with hide_trl_warnings():
        return make_trainer(toy / "warm", questions, ExampleStore(sets), pictures, out, settings, 0)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")
