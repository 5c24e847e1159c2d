"""Training on conversations with their own pictures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PIL import Image

from agent.models.card_file import read_card
from agent.rendering.render import PUBLISHED
from tests.train.sft.samples import MINUTE_MODEL
from train.sft.run import fine_tune
from train.sft.settings import SftSettings

SETTINGS = SftSettings(
    steps=1, batch=2, lr=1e-3, precision="fp32", trained="all", held_out=0.0, save_every=0
)


def test_a_run_on_them_alone(tmp_path: Path, capsys):
    rng = np.random.default_rng(3)
    (tmp_path / "images").mkdir()
    rows = []
    for number in range(3):
        pixels = rng.integers(0, 255, (90, 120, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(tmp_path / f"images/{number}.png")
        said = [
            {"from": "human", "value": "<image>Is this a white dwarf?"},
            {"from": "gpt", "value": "<think>Broad.</think>\n<answer>\\boxed{YES} broad</answer>"},
        ]
        rows.append({"conversations": said, "images": [f"images/{number}.png"]})
    rows[2]["images"] = ["images/absent.png"]
    file = tmp_path / "cold.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))

    model = fine_tune([file], [], tmp_path / "run", SETTINGS, MINUTE_MODEL)
    told = capsys.readouterr().err
    assert "2 conversations" in told and "left out: 1 faulty, the first: cold.jsonl row 2" in told
    mask = (tmp_path / "run/mask.txt").read_text(encoding="utf-8")
    assert mask.count("⟦<think>Broad.</think>") == 1 and mask.count("<|image_pad|>") == 1
    card = read_card(model)
    assert card.style == PUBLISHED and not card.simulated_only
