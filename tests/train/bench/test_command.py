from __future__ import annotations

import json
import shutil
from pathlib import Path

from typer.testing import CliRunner

from agent.examples.examples import count_examples
from tests.train.bench.conftest import Made
from train.bench.build import MEASURED
from train.cli import app


def bench(*words: object):
    return CliRunner().invoke(app, ["bench", *map(str, words)])


def test_makes_the_sets_and_says_what_fell_short(made: Made, tmp_path: Path):
    shutil.copytree(made.out / MEASURED, tmp_path / MEASURED)
    archives = [word for path in made.archives for word in ("--archive", path)]
    sets = ("tasks=CV,CS", "cross_tasks=", "sizes=* 4/4 2/8", "folds=2", "cross_surveys=SDSS")
    options = [word for text in sets for word in ("--set", text)]
    result = bench(tmp_path, *archives, *options, "--seed", 5)
    assert result.exit_code == 0, result.output
    assert "CV test:" in result.stderr
    assert result.stdout.strip().startswith(f"{tmp_path}: train")
    assert count_examples(tmp_path / "train.parquet") > 0
    figures = json.loads((tmp_path / "bench.json").read_text())
    assert figures["settings"]["seed"] == 5
    assert figures["files"]["train"]["tasks"]["CV"]["YES"] == 4


def test_needs_an_archive_or_published_files(tmp_path: Path):
    assert bench(tmp_path).exit_code == 2


def test_a_setting_that_is_none_is_told(tmp_path: Path):
    result = bench(tmp_path, "--archive", tmp_path, "--set", "colds=1")
    assert result.exit_code == 1 and "no setting" in str(result.exception)
