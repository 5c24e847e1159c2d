"""`spec-o3-train chain`: settings of presets, files and `--set` reach the commands they name."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from agent.errors import WorkbenchError
from train.cli import app


def test_a_file_reaches_every_stage(config: Path):
    runner = CliRunner()
    words = ["chain", "out", "--preset", "nano", "--config", str(config), "--dry"]
    lines = runner.invoke(app, words).stdout.splitlines()
    (rl,) = [line for line in lines if line.startswith("spec-o3-train grpo")]
    assert rl.endswith("--set grpo.rounds=3")
    (asked,) = [line for line in lines if "questions out/questions.parquet" in line]
    assert "--count 7 " in asked
    (bench,) = [line for line in lines if "train bench out/bench " in line]
    assert 'bench.sizes=["* 5/5 1/5"]' in bench
    assert bench.count("--archive") == 1
    first, second = [line for line in lines if line.startswith("spec-o3-train sft")]
    assert first.endswith("--set sft.lr=1e-05")
    assert "lr=1e-05" not in second


def test_text_sft_for_a_preset_without_it():
    words = ["chain", "out", "--preset", "tiny", "--set", "text_sft.pictures=false", "--dry"]
    lines = CliRunner().invoke(app, words).stdout.splitlines()
    first, second = [line for line in lines if line.startswith("spec-o3-train sft")]
    assert "--out out/text_sft " in first and first.endswith("--set sft.pictures=false")
    assert "--model out/text_sft/model" in second and "pictures" not in second


def test_text_sft_is_not_repeated_when_later_sft_changes():
    words = ["chain", "out", "--preset", "nano", "--set", "text_sft.epochs=1.5", "--dry"]

    def first(epochs: float) -> str:
        lines = CliRunner().invoke(app, [*words, "--set", f"sft.epochs={epochs}"]).stdout
        return next(line for line in lines.splitlines() if "--out out/text_sft " in line)

    assert first(0.4) == first(0.2)
    assert first(0.4).count("epochs") == 1 and first(0.4).endswith("--set sft.epochs=1.5")


def test_then_continues_training_the_new_model():
    words = ["chain", "out", "--preset", "nano", "--then", "nano-on", "--seed", "4", "--dry"]
    lines = CliRunner().invoke(app, words).stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if "out/nano-on" in line)
    assert not any("out/nano-on" in line for line in lines[:at])
    assert not any(" --preset nano " in f"{line} " for line in lines[at:])
    seeds = [
        {re.findall(r"--seed (\d+)", line)[0] for line in part if "--seed" in line}
        for part in (lines[:at], lines[at:])
    ]
    assert seeds[0] and seeds[1] and not seeds[0] & seeds[1]


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
