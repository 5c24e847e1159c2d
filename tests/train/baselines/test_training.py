from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("pyarrow")

from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.examples.examples import example, write_examples
from tests.train.baselines.helpers import lines
from train.baselines.specialist import CARD, grid_of
from train.baselines.training import examples_hash, read_rows
from train.cli import app


def test_a_spectrum_of_two_tasks_is_one_row(tmp_path: Path):
    first, second = lines(2)
    asked = [
        example(first, task="CV", answer="YES", key="a"),
        example(second, task="CV", answer="NO", key="b"),
        example(first, task="WD", answer="NO", key="c"),
    ]
    path = tmp_path / "two.parquet"
    write_examples(path, asked)
    rows, tasks = read_rows("plain-cnn", [path])
    assert rows.shape == (2, grid_of("plain-cnn").size)
    assert tasks["CV"].rows.tolist() == [0, 1] and tasks["CV"].answers.tolist() == [1.0, 0.0]
    assert tasks["WD"].rows.tolist() == [0] and tasks["WD"].answers.tolist() == [0.0]
    write_examples(tmp_path / "other.parquet", asked[:2])
    assert examples_hash([path]) != examples_hash([tmp_path / "other.parquet"])


def test_sets_without_examples_are_refused(tmp_path: Path):
    write_examples(tmp_path / "none.parquet", [])
    with pytest.raises(WorkbenchError, match="no examples to train on"):
        read_rows("plain-cnn", [tmp_path / "none.parquet"])


def test_trains_and_skips_finished_networks(sets: Path, tmp_path: Path):
    arguments = ["baselines", str(sets), "--out", str(tmp_path), "--preset", "tiny"]
    quick = ["--set", "kinds=plain-cnn", "--set", "epochs=1"]
    first = CliRunner().invoke(app, [*arguments, *quick])
    assert first.exit_code == 0, first.output
    assert (tmp_path / "plain-cnn" / CARD).is_file()
    again = CliRunner().invoke(app, [*arguments, *quick])
    assert "already trained" in again.output
