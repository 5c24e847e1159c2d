"""`spec-o3-train grpo` makes a model in use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("trl")
pytest.importorskip("peft")

from typer.testing import CliRunner

from agent.inspection.inspector import run
from agent.inspection.inspector_factory import make_inspector
from agent.models.card_file import read_card
from agent.tasks.catalogue import find_task
from tests.train.grpo.toy import STYLE, toy_examples, toy_settings
from tests.train.grpo.training import SMALL
from train.cli import app
from train.journal import read_metrics


def test_the_command_makes_a_model_in_use(toy: Path, tmp_path: Path):
    out = tmp_path / "run"
    told = toy_settings(**(SMALL | {"rounds": 1}))
    changes = [f"--set={name}={getattr(told, name)}" for name in (*SMALL, "turn_tokens")]
    command = ["grpo", "--sets", str(toy / "train.parquet"), "--out", str(out)]
    command += ["--model", str(toy / "warm"), "--preset", "tiny", "--workers", "2"]
    result = CliRunner().invoke(app, [*command, "--set=rounds=1", *changes])
    assert result.exit_code == 0, result.output
    assert str(out / "model") in result.output.replace("\n", "")
    card = read_card(out / "model")
    assert card.style == STYLE
    assert "train.parquet" in card.trained_on
    one = next(toy_examples(toy / "toy.toml", 1, 5))
    made = make_inspector(str(out / "model"), device="cpu")
    record = run(made.inspect(one.spectrum, find_task(one.task)))
    made.close()
    assert record.replies
    (line,) = read_metrics(out)
    names = {"reward", "reward_std", "accuracy", "f1", "well_formed", "answered", "calls", "tokens"}
    names |= {"groups_alike", "entropy", f"accuracy/{toy / 'toy.toml'}", "seconds/speaking"}
    assert names <= set(line)
    assert json.loads((out / "settings.json").read_text())["grpo"]["questions"] == 2
