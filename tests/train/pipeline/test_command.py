"""`spec-o3-train chain`: settings of presets, files and `--set` reach the commands they name."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from agent.errors import WorkbenchError
from train.cli import app


def test_a_file_reaches_every_stage(config: Path):
    runner = CliRunner()
    words = ["chain", "out", "--preset", "tiny", "--config", str(config), "--dry"]
    lines = runner.invoke(app, words).stdout.splitlines()
    (rl,) = [line for line in lines if line.startswith("spec-o3-train grpo")]
    assert rl.endswith("--set grpo.rounds=3")
    (asked,) = [line for line in lines if "questions out/questions.parquet" in line]
    assert "--count 7 " in asked
    (bench,) = [line for line in lines if "train bench out/bench " in line]
    assert 'bench.sizes=["* 5/5 1/5"]' in bench
    assert bench.count("--archive") == 1
    (tuned,) = [line for line in lines if line.startswith("spec-o3-train sft")]
    assert tuned.endswith("--set sft.lr=1e-05")


def test_hard_negatives_that_are_not_simulated_cannot_be_set():
    words = [
        "chain",
        "out",
        "--preset",
        "tiny",
        "--set",
        "hard_negatives.tasks=['CV']",
        "--dry",
    ]
    result = CliRunner().invoke(app, words)
    assert isinstance(result.exception, WorkbenchError)
    assert "set chain.hard_negatives" in str(result.exception)


def test_a_date_is_not_a_setting(config: Path):
    config.write_text("[chain]\nquestions = 1979-05-27\n")
    result = CliRunner().invoke(app, ["chain", "out", "--config", str(config), "--dry"])
    assert result.exit_code != 0
    assert "expected a whole number" in str(result.exception)
